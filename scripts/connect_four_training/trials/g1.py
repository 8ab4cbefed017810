import sys; sys.path[:0]=['.','scripts','scripts/connect_four_training/trials']
import numpy as np, time, glob, kfeat, trainer as T
from pathlib import Path
from connect_four_training import positions
def target(p, mix=float(__import__('os').environ.get('MIX','0.5'))):
    r=p['result'].astype(np.float32); v=p['value']
    return np.where(p['is_exact']>0, r, np.where(r==2, v, mix*r+(1-mix)*v)).astype(np.float32)
def r2(pred, y):
    A=np.c_[pred,np.ones(len(y))]; w,*_=np.linalg.lstsq(A,y,rcond=None)
    return 1-((A@w-y)**2).sum()/((y-y.mean())**2).sum()
def load(files):
    p=positions.read([Path(x) for x in sorted(files)])[:int(sys.argv[4]) if len(sys.argv)>4 else None]
    f,ci,free=kfeat.features(p)
    pol=p['policy'].astype(np.float32); pol/=pol.sum(1,keepdims=True)
    return p,[f,ci,free.astype(np.int64),target(p),pol]
if __name__=='__main__':
    epochs=int(sys.argv[1]); files=[x for pat in sys.argv[2].split(',') for x in glob.glob(pat)]
    p,D=load(files); free=D[2]
    test=p['game']%25==0
    ti=np.flatnonzero(test&(p['result']!=2)); idx=np.flatnonzero(~test)
    import rolls
    rl=rolls.rollout_means(p[ti]); y=p['result'][ti].astype(np.float32); fr=free[ti]; ex=p['is_exact'][ti]>0; sv=p['value'][ti]
    B=[('exact',ex),('45-66',fr<=66),('67-85',(fr>66)&(fr<=85)),('86+',fr>85),('all',fr>0)]
    print(len(p),'positions',int(p['game'].max())+1,'games; test',[(n,int(m.sum())) for n,m in B])
    print('search value',[(n,round(r2(sv[m],y[m]),3)) for n,m in B])
    def log(w):
        v,l=T.outputs(w,D,ti)
        top=(l.argmax(1)==D[4][ti].argmax(1)).mean(); ce=-(D[4][ti]*np.maximum(l,-50)).sum(1).mean()
        v_=r2(v,sv); return f'val {v_:.3f} top1 {top:.3f} ce {ce:.3f} | '+'  '.join(f'{n} {r2(v[m],y[m]):.3f}/{r2(rl[m],y[m]):.3f}/{r2(np.c_[v,rl][m],y[m]):.3f}' for n,m in B)
    w=T.init(1)
    T.train(w,D,idx,epochs,log=log,lr=float(sys.argv[3]) if len(sys.argv)>3 else 2e-3)
    np.save('.cache/w.npy',w)
