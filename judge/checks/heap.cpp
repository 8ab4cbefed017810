// Preloaded into a player whose game ended by MEMORY_LIMIT. Counts the bytes that each call of an allocating function has
// allocated and not freed. The first call that holds more than DROPFOUR_HEAP bytes stops the program with SIGTRAP, where
// gdb prints the backtrace. A call that has allocated once, such as that of a table, does not grow, and is passed over.
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

extern "C" {
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);
}

namespace {

// Before each block, at an address that is a multiple of 16.
struct Header {
    uint32_t magic;
    uint16_t site;
    uint16_t offset;  // in units of 16 bytes, from the start of what glibc allocated to the block
    size_t bytes;
};

constexpr uint32_t MAGIC = 0xd40f0042;
constexpr int SITES = 4096;

std::atomic_flag lock = ATOMIC_FLAG_INIT;
void *callers[SITES];
size_t held[SITES], calls[SITES], threshold;
bool has_stopped = false;  // once is enough

struct Locked {
    Locked() {
        while (lock.test_and_set(std::memory_order_acquire)) {
        }
    }
    ~Locked() { lock.clear(std::memory_order_release); }
};

// Counts the bytes for the caller, and returns the number of its site; says whether the program stops here.
int count(void *caller, size_t bytes, bool &stops) {
    Locked locked;
    if (!threshold) {
        const char *text = std::getenv("DROPFOUR_HEAP");
        threshold = text ? std::strtoull(text, nullptr, 10) : SIZE_MAX;
    }
    int site = reinterpret_cast<uintptr_t>(caller) / 4 % SITES;
    for (int tries = 0; callers[site] && callers[site] != caller && tries < SITES; ++tries) site = (site + 1) % SITES;
    callers[site] = caller;
    held[site] += bytes;
    stops = ++calls[site] > 1 && held[site] > threshold && !has_stopped;
    has_stopped |= stops;
    return site;
}

void *counted(char *base, size_t offset, size_t bytes, void *caller) {
    if (!base) return nullptr;
    bool stops = false;
    const int site = count(caller, bytes, stops);
    auto *header = reinterpret_cast<Header *>(base + offset) - 1;
    *header = {MAGIC, static_cast<uint16_t>(site), static_cast<uint16_t>(offset / 16), bytes};
    if (stops) raise(SIGTRAP);
    return base + offset;
}

void *allocated(size_t bytes, void *caller) {
    if (bytes > SIZE_MAX / 2) return nullptr;
    return counted(static_cast<char *>(__libc_malloc(bytes + sizeof(Header))), sizeof(Header), bytes, caller);
}

void *aligned(size_t alignment, size_t bytes, void *caller) {
    const size_t offset = alignment < sizeof(Header) ? sizeof(Header) : alignment;
    if (bytes > SIZE_MAX / 2 || offset / 16 > UINT16_MAX) return nullptr;
    return counted(static_cast<char *>(__libc_memalign(alignment, bytes + offset)), offset, bytes, caller);
}

void *reallocated(void *block, size_t bytes, void *caller) {
    void *other = allocated(bytes, caller);
    if (other && block) {
        const size_t before = (static_cast<Header *>(block) - 1)->bytes;
        std::memcpy(other, block, before < bytes ? before : bytes);
        std::free(block);
    }
    return other;
}

void *or_throw(void *block) {
    if (!block) throw std::bad_alloc();
    return block;
}

}  // namespace

#define CALLER __builtin_return_address(0)

extern "C" {
void *malloc(size_t bytes) { return allocated(bytes, CALLER); }
void *calloc(size_t number, size_t size) {
    if (size && number > SIZE_MAX / 2 / size) return nullptr;
    const size_t bytes = number * size;
    return counted(static_cast<char *>(__libc_calloc(1, bytes + sizeof(Header))), sizeof(Header), bytes, CALLER);
}
void *realloc(void *block, size_t bytes) { return reallocated(block, bytes, CALLER); }
void *reallocarray(void *block, size_t number, size_t size) {
    return size && number > SIZE_MAX / 2 / size ? nullptr : reallocated(block, number * size, CALLER);
}
void *memalign(size_t alignment, size_t bytes) { return aligned(alignment, bytes, CALLER); }
void *aligned_alloc(size_t alignment, size_t bytes) { return aligned(alignment, bytes, CALLER); }
int posix_memalign(void **block, size_t alignment, size_t bytes) {
    void *made = aligned(alignment, bytes, CALLER);
    if (!made) return ENOMEM;
    *block = made;
    return 0;
}
size_t malloc_usable_size(void *block) { return block ? (static_cast<Header *>(block) - 1)->bytes : 0; }
void free(void *block) {
    if (!block) return;
    auto *header = static_cast<Header *>(block) - 1;
    if (header->magic != MAGIC) return __libc_free(block);  // allocated before this library was there
    {
        Locked locked;
        held[header->site] -= header->bytes;
    }
    header->magic = 0;
    __libc_free(static_cast<char *>(block) - header->offset * size_t{16});
}
}

void *operator new(size_t bytes) { return or_throw(allocated(bytes, CALLER)); }
void *operator new[](size_t bytes) { return or_throw(allocated(bytes, CALLER)); }
void *operator new(size_t bytes, const std::nothrow_t &) noexcept { return allocated(bytes, CALLER); }
void *operator new[](size_t bytes, const std::nothrow_t &) noexcept { return allocated(bytes, CALLER); }
void operator delete(void *block) noexcept { std::free(block); }
void operator delete[](void *block) noexcept { std::free(block); }
void operator delete(void *block, size_t) noexcept { std::free(block); }
void operator delete[](void *block, size_t) noexcept { std::free(block); }
