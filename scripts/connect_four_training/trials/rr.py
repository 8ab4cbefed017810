import sys; sys.path[:0]=['.','scripts','scripts/connect_four_training/trials']
import numpy as np, glob, time
from pathlib import Path
from connect_four_training import positions
from bot.backends.compiled import Kernels
from bot.games.connect_four import adapter
from bot.search.uct.edge_nodes import layout
kernels=Kernels('connect_four').obtain()
p=positions.read([Path(x) for x in glob.glob('.cache/g1')+glob.glob('.cache/g2*')])
r=np.random.default_rng(3)
ok=np.flatnonzero(p['result']!=2)
ok=r.choice(ok,6000,replace=False)
P=p[ok]; pos=[positions.board_of(x).to_bytes() for x in P]
y=P['result'].astype(float)
occ=np.unpackbits(np.ascontiguousarray(P['own']|P['opponent']).view('u1').reshape(len(P),-1),axis=1).sum(1)
free=P['rows'].astype(int)*P['columns']-(P['forbidden_row']!=255)-occ
def r2(x,y):
    return np.corrcoef(x,y)[0,1]**2
B=[('exact',P['is_exact']>0),('45-66',free<=66),('67-85',(free>66)&(free<=85)),('86+',free>85),('all',free>0)]
def run(sets, counts):
    e=adapter.make_engine(kernels, adapter.preset('default').with_values(['solver=false',*sets]), 200, 7)
    t=time.time(); out={}
    for n in counts:
        v=np.zeros(len(P))
        for i,b in enumerate(pos):
            e._memory.write(layout.ROOT_POSITION_OFFSET,b)
            e._memory.write(8192,bytes(16000))
            e._control[layout.MAX_ITERATIONS]=n
            v[i]=e._kernels.rollouts(e._address)/n
        print(sets,n,f'{time.time()-t:.0f}s','  '.join(f'{a} {r2(v[m],y[m]):.3f}' for a,m in B),flush=True)
        out[n]=v
    return out
if __name__=='__main__':
    for s in sys.argv[2:]:
        run([x for x in s.split(',') if x],[int(c) for c in sys.argv[1].split(',')])
