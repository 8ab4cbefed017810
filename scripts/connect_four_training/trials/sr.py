import sys; sys.path[:0]=['scripts/connect_four_training/trials']
from rr import *
def srun(sets, n, N=3000):
    e=adapter.make_engine(kernels, adapter.preset('default').with_values(['solver=false','keep_tree=false','root_tactics=none',*sets]), 200, 7)
    t=time.time(); v=np.zeros(N)
    for i in range(N):
        e._memory.write(8192,bytes(16000))
        v[i]=e.think(positions.board_of(P[i]),iterations=n).value
    yy=y[:N]
    print(sets,n,f'{time.time()-t:.0f}s','  '.join(f'{a} {r2(v[m[:N]],yy[m[:N]]):.3f}' for a,m in B),flush=True)
    return v
if __name__=='__main__':
    for s in sys.argv[2:]:
        for n in sys.argv[1].split(','): srun([x for x in s.split(',') if x],int(n))
