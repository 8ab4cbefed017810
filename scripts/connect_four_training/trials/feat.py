import numpy as np
from numba import njit, prange

HB = 6
@njit
def unpack(own, opp, rows, cols, frow, fcol, board):
    # board[r,c]: 0 free 1 own 2 opp 3 blocked ; padded by 3
    board[:] = 3
    for c in range(cols):
        for r in range(rows):
            bit = 16*c + r
            w = bit >> 6; s = np.uint64(bit & 63)
            v = 0
            if (own[w] >> s) & np.uint64(1): v = 1
            elif (opp[w] >> s) & np.uint64(1): v = 2
            board[r+3, c+3] = v
    if frow != 255:
        board[frow+3, fcol+3] = 3

@njit
def levels(board, rows, cols, lev):
    # lev[side, r, c] : 0 none, 1 open line, 2 two own in a line, 3 three own (wins)
    lev[:] = 0
    for d in range(4):
        dr = (0,1,1,-1)[d]; dc = (1,0,1,1)[d]
        for c in range(3, cols+3):
            for r in range(3, rows+3):
                r3 = r+3*dr; c3 = c+3*dc
                if r3 < 3 or r3 >= rows+3 or c3 >= cols+3: continue
                n1=0; n2=0; n3=0
                for k in range(4):
                    v = board[r+k*dr, c+k*dc]
                    if v==1: n1+=1
                    elif v==2: n2+=1
                    elif v==3: n3+=1
                if n3: continue
                for k in range(4):
                    if board[r+k*dr, c+k*dc]==0:
                        if n2==0 and n1 > lev[0, r+k*dr-3, c+k*dc-3]-1:
                            lev[0, r+k*dr-3, c+k*dc-3] = max(n1,1)
                        if n1==0 and n2 > lev[1, r+k*dr-3, c+k*dc-3]-1:
                            lev[1, r+k*dr-3, c+k*dc-3] = max(n2,1)

@njit
def rows_of(own, opp, rows, cols, frow, fcol, out, colinfo):
    """out uint16[12,12] feature rows+1 (0: none), by column and height; colinfo uint8[12]"""
    board = np.zeros((18,18), np.int8)
    lev = np.zeros((2,12,13), np.int8)
    unpack(own, opp, rows, cols, frow, fcol, board)
    levels(board, rows, cols, lev)
    out[:] = 0
    free = 0
    for c in range(cols):
        n = 0
        for r in range(rows):
            if board[r+3,c+3]==0: n+=1
        colinfo[c] = n
        free += n
    for c in range(cols, 12): colinfo[c]=0
    for c in range(cols):
        n = colinfo[c]
        if n==0: continue
        codes = np.zeros(14, np.int64); k=0
        dead=False; prev=0
        for r in range(rows):
            if board[r+3,c+3]!=0: continue
            a=lev[0,r,c]; b=lev[1,r,c]
            if dead: a=0;b=0
            codes[k]=a*4+b; k+=1
            if (a==3 and b==3) or (k>1 and a==3 and prev//4==3) or (k>1 and b==3 and prev%4==3): dead=True
            prev=a*4+b
        # who gets the cell if the follower follows
        for h in range(n):
            # even count column: mover gets h even. odd column: floor either, then after it even
            left = n-h     # counted parity
            p = left & 1
            hb = min(h, HB-1)
            out[c,h] = 1 + ((codes[h]*16+codes[h+1])*HB + hb)*2 + p
    return free

@njit(parallel=False)
def extract(own, opp, rows, cols, frow, fcol, feats, colinfo, free):
    for i in range(len(rows)):
        free[i] = rows_of(own[i], opp[i], rows[i], cols[i], frow[i], fcol[i], feats[i], colinfo[i])

def features(p):
    n=len(p)
    feats=np.zeros((n,12,12),np.uint16); ci=np.zeros((n,12),np.uint8); free=np.zeros(n,np.int16)
    g=lambda k: np.ascontiguousarray(p[k])
    extract(g('own'),g('opponent'),g('rows').astype(np.int64),g('columns').astype(np.int64),g('forbidden_row').astype(np.int64),g('forbidden_column').astype(np.int64),feats,ci,free)
    return feats,ci,free
ROWS=1+256*HB*2
