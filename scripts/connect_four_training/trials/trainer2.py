"""numba trainer of the network, single thread; weights float32 in one flat vector: tables, columns, dense."""
import sys; sys.path[:0]=['.','scripts','scripts/connect_four_training/trials']
import numpy as np, time
from numba import njit
from bot.games.connect_four.evaluation import layout as L
C=16;G=32
import feat2; PER=7; T=feat2.ROWS*C
COLS=T; SEC=COLS+L.COLUMN_KINDS*C
N=SEC+L.DENSE_NUMBERS
def off(x): return SEC+x
S2=off(L.SECOND);B2=off(L.SECOND_BIAS);BF=off(L.BOARD_FIRST);BS=off(L.BOARD_SECOND);BG=off(L.BOARD_GLOBALS);BB=off(L.BOARD_BIAS)
V=off(L.VALUE);PB=off(L.POLICY_BOARD);PS=off(L.POLICY_SECOND);PF=off(L.POLICY_FIRST);K=off(L.CONSTANTS)
assert BS==BF+C*G
@njit(fastmath=True, cache=False)
def batch(w, rows, ci, free, tv, tp, idx, g, pw, train, vout, lout, own):
    """add gradients of the batch to g; (value loss, policy loss)"""
    h=np.zeros((12,C),np.float32); h2=np.zeros((12,C),np.float32); sums=np.zeros(2*C+4,np.float32); b=np.zeros(G,np.float32)
    ctx=np.zeros(C,np.float32); lg=np.zeros(12,np.float32); dh=np.zeros((12,C),np.float32); dh2=np.zeros((12,C),np.float32); db=np.zeros(G,np.float32); dsum=np.zeros(2*C,np.float32); dctx=np.zeros(C,np.float32)
    z=np.zeros(C,np.float32); zb=np.zeros(G,np.float32)
    LV=0.0; LP=0.0
    for q in range(len(idx)):
        i=idx[q]; f=free[i]
        sums[:]=0
        odd=0; play=0
        for c in range(12):
            n=ci[i,c]
            if n==0: continue
            odd+=n&1; play+=1
            base=COLS+(2*n+(f&1))*C
            for k in range(C): z[k]=w[base+k]
            for x in range(n*PER):
                base=(np.int64(rows[i,c,x])-1)*C
                for k in range(C): z[k]+=w[base+k]
            for k in range(C):
                h[c,k]=min(max(z[k],np.float32(0)),np.float32(1)); sums[k]+=h[c,k]
            for k in range(C): z[k]=w[B2+k]
            for m in range(C):
                a=h[c,m]
                for k in range(C): z[k]+=a*w[S2+m*C+k]
            for k in range(C):
                h2[c,k]=min(max(z[k],np.float32(0)),np.float32(1)); sums[C+k]+=h2[c,k]
        sums[2*C]=f&1; sums[2*C+1]=f; sums[2*C+2]=odd; sums[2*C+3]=play
        for k in range(G): zb[k]=w[BB+k]
        for m in range(2*C+4):
            a=sums[m]; base=BF+m*G
            for k in range(G): zb[k]+=a*w[base+k]
        x=w[K]
        for k in range(G):
            b[k]=min(max(zb[k],np.float32(0)),np.float32(1)); x+=b[k]*w[V+k]
        v=x/(1+abs(x))
        vout[q]=v
        for k in range(C): ctx[k]=w[PS+k]
        for m in range(G):
            a=b[m]
            for k in range(C): ctx[k]+=a*w[PB+m*C+k]
        top=np.float32(-1e9)
        for c in range(12):
            if ci[i,c]==0: continue
            s=np.float32(0)
            for k in range(C): s+=h[c,k]*w[PF+k]+h2[c,k]*ctx[k]
            lg[c]=s; top=max(top,s)
        den=np.float32(0)
        for c in range(12):
            if ci[i,c]: den+=np.exp(lg[c]-top)
        den=np.log(den)+top
        e=v-tv[i]
        LV+=e*e
        for c in range(12):
            lout[q,c]=lg[c]-den if ci[i,c] else -1e9
            if ci[i,c]: LP-=tp[i,c]*(lg[c]-den)
        if not train: continue
        # backward
        dx=2*e/((1+abs(x))*(1+abs(x)))
        g[K]+=dx
        for k in range(G):
            g[V+k]+=dx*b[k]; db[k]=dx*w[V+k]
        dh[:]=0; dh2[:]=0; dctx[:]=0
        for c in range(12):
            if ci[i,c]==0: continue
            d=pw*(np.exp(lg[c]-den)-tp[i,c])
            for k in range(C):
                g[PF+k]+=d*h[c,k]; dh[c,k]+=d*w[PF+k]; dctx[k]+=d*h2[c,k]; dh2[c,k]+=d*ctx[k]
        for k in range(C): g[PS+k]+=dctx[k]
        for m in range(G):
            s=np.float32(0)
            for k in range(C):
                g[PB+m*C+k]+=dctx[k]*b[m]; s+=dctx[k]*w[PB+m*C+k]
            db[m]+=s
        for k in range(G):
            if zb[k]<=0 or zb[k]>=1: db[k]=db[k]*np.float32(0.02)
            g[BB+k]+=db[k]
        for m in range(2*C+4):
            a=sums[m]; base=BF+m*G; s=np.float32(0)
            for k in range(G):
                g[base+k]+=a*db[k]; s+=w[base+k]*db[k]
            if m<2*C: dsum[m]=s
        for c in range(12):
            n=ci[i,c]
            if n==0: continue
            for k in range(C):
                d=dh2[c,k]+dsum[C+k]
                if h2[c,k]<=0 or h2[c,k]>=1: d*=np.float32(0.02)
                z[k]=d; g[B2+k]+=d
            for m in range(C):
                s=np.float32(0); a=h[c,m]
                for k in range(C):
                    g[S2+m*C+k]+=a*z[k]; s+=w[S2+m*C+k]*z[k]
                dh[c,m]+=s+dsum[m]
            for k in range(C):
                if h[c,k]<=0 or h[c,k]>=1: dh[c,k]*=np.float32(0.02)
            base=COLS+(2*n+(f&1))*C
            for k in range(C): g[base+k]+=dh[c,k]
            for x in range(n*PER):
                base=(np.int64(rows[i,c,x])-1)*C
                for k in range(C): g[base+k]+=dh[c,k]
    return LV,LP
@njit(fastmath=True, cache=False)
def adam(w,g,m,s,rate,decay,c1,c2,n):
    for k in range(len(w)):
        x=g[k]/n+decay*w[k]; g[k]=0
        m[k]=np.float32(0.9)*m[k]+np.float32(0.1)*x
        s[k]=np.float32(0.999)*s[k]+np.float32(0.001)*x*x
        w[k]-=rate*(m[k]/c1)/(np.sqrt(s[k]/c2)+np.float32(1e-8))
def init(seed):
    r=np.random.default_rng(seed); w=np.zeros(N,np.float32)
    w[:T]=r.normal(0,0.02,T); w[COLS:SEC]=0.3+r.normal(0,.1,SEC-COLS)
    w[S2:B2]=r.normal(0,1/4,B2-S2); w[B2:BF]=0.3
    w[BF:BG]=r.normal(0,1/24,BG-BF); w[BG:BB]=r.normal(0,.02,BB-BG); w[BG+G:BG+2*G]*=.05
    w[BB:V]=0.3; w[PB:PS]=r.normal(0,.1,PS-PB); w[PF:K]=r.normal(0,.1,K-PF)
    return w
def train(w,D,idx,epochs,lr=2e-3,bs=512,pw=0.3,decay=1e-6,log=None,seed=0):
    rows,ci,free,tv,tp=D; r=np.random.default_rng(seed); idx=idx.copy()
    g=np.zeros(N,np.float32);m=np.zeros(N,np.float32);s=np.zeros(N,np.float32);t=0
    vo=np.zeros(bs,np.float32);lo=np.zeros((bs,12),np.float32)
    steps=epochs*(len(idx)//bs)
    for e in range(epochs):
        t0=time.time(); r.shuffle(idx); a=b=0.0
        for k in range(0,len(idx)-bs+1,bs):
            x,y=batch(w,rows,ci,free,tv,tp,idx[k:k+bs],g,np.float32(pw),True,vo,lo,0); a+=x;b+=y;t+=1
            p=t/steps; rate=lr*min(p/.05,1)*(0.02+0.98*0.5*(1+np.cos(np.pi*p)))
            adam(w,g,m,s,np.float32(rate),np.float32(decay),np.float32(1-.9**t),np.float32(1-.999**t),np.float32(bs))
        print(f'epoch {e} value {a/len(idx):.4f} policy {b/len(idx):.4f} {time.time()-t0:.1f}s',log(w) if log and (e%2==1 or e==epochs-1) else '',flush=True)
def outputs(w,D,idx):
    rows,ci,free,tv,tp=D
    v=np.zeros(len(idx),np.float32);l=np.zeros((len(idx),12),np.float32)
    batch(w,rows,ci,free,tv,tp,idx,np.zeros(1,np.float32),np.float32(0),False,v,l,0)
    return v,l
