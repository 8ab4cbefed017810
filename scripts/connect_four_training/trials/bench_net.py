import sys; sys.path[:0]=['.','scripts','scripts/connect_four_training/trials']
import numpy as np, time, glob
from numba import njit
from pathlib import Path
from bot.games.connect_four.evaluation import layout as L
from bot.games.connect_four.evaluation.network import network_at, evaluate, describe_columns, bucket
from bot.games.connect_four.rules.position import load_root
from bot.kernels.machine import uint16_array_at, float32_array_at
@njit(error_model='numpy')
def run(address, positions, n, out, logits):
    net=network_at(address); pos=uint16_array_at(positions, n*80); lg=float32_array_at(logits, n*12)
    for i in range(n):
        out[i]=evaluate(net, load_root(pos, i*80), lg[i*12:i*12+12])
@njit(error_model='numpy')
def rows(address, positions, n, out, free):
    net=network_at(address); pos=uint16_array_at(positions, n*80)
    for i in range(n):
        out[i]=0
        describe_columns(net, load_root(pos, i*80))
        for c in range(12):
            k=net.free[c]; free[i,c]=k
            codes=net.codes[c]
            for h in range(k):
                out[i,c,h]=1+bucket(h,k)*256+np.int64(codes & np.uint64(255))
                codes>>=np.uint64(4)
if __name__=='__main__':
    from connect_four_training import positions
    p=positions.read([Path('.cache/t0')])[:2000]
    data=np.frombuffer(b''.join(positions.board_of(r).to_bytes() for r in p),np.uint16).copy()
    mem=np.zeros(L.NETWORK_BYTES+64,np.uint8); a=mem.ctypes.data; a+=-a%64
    rng=np.random.default_rng(0)
    w=mem[a-mem.ctypes.data:]
    w[L.TABLES_OFFSET:L.DENSE_OFFSET].view(np.int16)[:]=rng.integers(-40,40,L.INT16_NUMBERS)
    w[L.DENSE_OFFSET:L.NETWORK_BYTES].view(np.float32)[:]=rng.normal(0,.3,L.DENSE_NUMBERS)
    out=np.zeros(len(p),np.float32); lg=np.zeros(len(p)*12,np.float32)
    t=time.time(); run(a,data.ctypes.data,len(p),out,lg.ctypes.data); print('compile',time.time()-t)
    for _ in range(5):
        t=time.perf_counter()
        for _ in range(20): run(a,data.ctypes.data,len(p),out,lg.ctypes.data)
        print('ns',(time.perf_counter()-t)/20/len(p)*1e9)
    print(out[:5])
    f=np.zeros((len(p),12,12),np.uint16); fc=np.zeros((len(p),12),np.int64)
    rows(a,data.ctypes.data,len(p),f,fc)
    for _ in range(3):
        t=time.perf_counter(); rows(a,data.ctypes.data,len(p),f,fc); print('rows ns',(time.perf_counter()-t)/len(p)*1e9)
    import feat
    f2,ci,free=feat.features(p)
    print((fc==ci).all())
    # feat's row: ((own code pair)...)*2+p
    x=f2.astype(int)-1; q=x%2; hb=x//2%6; pair=x//12; hi=pair//16; lo=pair%16
    mine=1+(hb*2+q)*256+(lo*16+hi)
    mine[f2==0]=0
    print((mine==f).mean(), np.argwhere(mine!=f)[:10])
