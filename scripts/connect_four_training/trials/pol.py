import sys; sys.path[:0]=['.','scripts','scripts/connect_four_training/trials']
import numpy as np, glob
from g1 import load
from numba import njit
p,D=load(glob.glob('.cache/g1')+glob.glob('.cache/g2*'))
f,ci,free,tv,tp=D
test=p['game']%25==0
n=len(p)
legal=ci>0
pair0=np.where(legal,(f[:,:,0].astype(int)-1)%256,0)   # low nibble: floor, high: above
pair1=np.where(ci>1,(f[:,:,1].astype(int)-1)%256,0)
code=pair0|(pair1>>4)<<8   # 12 bits
par=(ci&1).astype(int); tot=(free&1).astype(int)[:,None]
H=-(tp*np.log(np.maximum(tp,1e-9))).sum(1)[test].mean()
U=np.log(legal.sum(1))[test].mean()
print('positions',n,'entropy',H,'uniform',U)
cols=p['columns'].astype(int)[:,None]
dist=np.minimum(np.abs(2*np.arange(12)[None]-cols+1)//2,5)
@njit
def fit(codes,legal,tp,idx,size,epochs,lr):
    w=np.zeros(size,np.float32); g2=np.full(size,1e-3,np.float32)
    for e in range(epochs):
        for q in range(len(idx)):
            i=idx[q]; top=-1e9
            for c in range(12):
                if legal[i,c]:
                    s=0.0
                    for k in range(codes.shape[2]): s+=w[codes[i,c,k]]
                    top=max(top,s)
            den=0.0
            for c in range(12):
                if legal[i,c]:
                    s=0.0
                    for k in range(codes.shape[2]): s+=w[codes[i,c,k]]
                    den+=np.exp(s-top)
            for c in range(12):
                if legal[i,c]:
                    s=0.0
                    for k in range(codes.shape[2]): s+=w[codes[i,c,k]]
                    d=np.exp(s-top)/den-tp[i,c]
                    for k in range(codes.shape[2]):
                        j=codes[i,c,k]; g2[j]+=d*d; w[j]-=lr*d/np.sqrt(g2[j])
    return w
def ce(codes,w,idx):
    s=w[codes[idx]].sum(2); s=np.where(legal[idx],s,-1e9); s-=s.max(1,keepdims=True); l=s-np.log(np.exp(s).sum(1,keepdims=True))
    return -(tp[idx]*np.maximum(l,-50)).sum(1).mean(), (s.argmax(1)==tp[idx].argmax(1)).mean()
r=np.random.default_rng(0); idx=r.permutation(np.flatnonzero(~test)); ti=np.flatnonzero(test)
def go(name,*parts):
    cs=[];o=0
    for x,size in parts: cs.append(x+o); o+=size
    c=np.stack(cs,2).astype(np.int32)
    w=fit(c,legal,tp,idx,o,2,0.1)
    print(name,o,'CE %.3f top1 %.3f'%ce(c,w,ti),flush=True)
go('floor code',(pair0&15,16))
go('floor+above',(pair0,256))
go('3 codes',(code,4096))
go('3 codes x parities',(code*4+par*2+tot,4096*4))
go('+dist',(code*4+par*2+tot,4096*4),(dist*2+tot,12))
# neighbours' floor codes relative height? left,right columns' code
lf=np.zeros_like(pair0); lf[:,1:]=pair0[:,:-1]; rt=np.zeros_like(pair0); rt[:,:-1]=pair0[:,1:]
go('+neighbours',(code*4+par*2+tot,4096*4),(dist*2+tot,12),((pair0&15)*256+lf,4096),((pair0&15)*256+rt,4096))
