import numpy as np
from numba import njit
import feat
from feat import unpack, levels, HB
PC=1+256*HB*2
NB=6*2   # buckets of pattern: hb(6)*p(2)
ROWS=PC+729*2*NB*2   # dirs: horizontal, diagonal ; side own/opp
@njit
def rows_of(own, opp, rows, cols, frow, fcol, out, colinfo, base):
    free = feat.rows_of(own, opp, rows, cols, frow, fcol, base, colinfo)
    board = np.zeros((18,18), np.int8)
    unpack(own, opp, rows, cols, frow, fcol, board)
    out[:]=0
    for c in range(cols):
        k=0
        n=colinfo[c]
        for r in range(rows):
            if board[r+3,c+3]!=0: continue
            out[c,k*7]=base[c,k]
            p=(n-k)&1; hb=min(k,HB-1)
            j=1
            for d in range(3):
                dr=(0,1,-1)[d]
                for side in range(2):
                    v=side+1
                    a=0;b=0
                    for s in (-3,-2,-1,1,2,3):
                        x=board[r+3+s*dr,c+3+s]
                        t=2 if x==v else (1 if x==0 else 0)
                        a=a*3+t
                    for s in (3,2,1,-1,-2,-3):
                        x=board[r+3+s*dr,c+3+s]
                        t=2 if x==v else (1 if x==0 else 0)
                        b=b*3+t
                    # kill beyond blocks is learnt
                    m=min(a,b)
                    out[c,k*7+j]=PC+(((side*2+(1 if d>0 else 0))*729+m)*NB+hb*2+p)
                    j+=1
            k+=1
    return free
@njit
def extract(own, opp, rows, cols, frow, fcol, feats, colinfo, free):
    base=np.zeros((12,12),np.uint16)
    for i in range(len(rows)):
        free[i] = rows_of(own[i], opp[i], rows[i], cols[i], frow[i], fcol[i], feats[i], colinfo[i], base)
def features(p):
    n=len(p)
    feats=np.zeros((n,12,84),np.uint16); ci=np.zeros((n,12),np.uint8); free=np.zeros(n,np.int16)
    g=lambda k: np.ascontiguousarray(p[k])
    extract(g('own'),g('opponent'),g('rows').astype(np.int64),g('columns').astype(np.int64),g('forbidden_row').astype(np.int64),g('forbidden_column').astype(np.int64),feats,ci,free)
    return feats,ci,free
assert ROWS<65536, ROWS
