import sys; sys.path[:0]=['.','scripts','scripts/connect_four_training/trials']
import gzip, json, time
from pathlib import Path
from protocol.records.record import read_records
import shutil
src='docs/results/batch_bot-margin-0.1-first-margin-0.1_lionjump-0.9s_1s_ca2a30f.jsonl.gz'
dst=Path('.cache/lost.jsonl')
if not dst.exists(): dst.write_bytes(gzip.open(src).read())
recs=read_records(dst)[0]
from bot.backends.compiled import Kernels
from bot.games.connect_four import adapter
from bot.games.connect_four.plain import empty_position
k=Kernels('connect_four').obtain()
LAST={2:44,3:45,12:28,16:46,18:74,23:32,30:53,39:48,60:4,69:54,73:36,91:34,98:28,99:52}
def positions_of(r):
    st=r.start if hasattr(r,'start') else None
    return st
if __name__=='__main__':
    r=recs[1]; print([a for a in dir(r) if not a.startswith('_')]); print(r.start if hasattr(r,'start') else '', r.moves[:3])
    def replay(r, n):
        b=r.board
        fb=None
        f=b.get('forbidden') if isinstance(b,dict) else b.forbidden
        rows=b['rows'] if isinstance(b,dict) else b.rows; cols=b['columns'] if isinstance(b,dict) and 'columns' in b else (b['cols'] if isinstance(b,dict) else b.columns)
        pos=empty_position(rows, cols, None if f is None else (rows-1-f[0], f[1]))
        for m in r.moves[:n]: pos=pos.play(m.move if isinstance(m.move,int) else m.move[-1])
        return pos
    print(recs[1].board)
    for g,P in LAST.items():
        r=recs[g-1]
        line=[]
        for n,bud in ((P,1.0),(P,4.0),(P-1,1.0),(P-1,8.0)):
            e=adapter.make_engine(k, adapter.preset('default'), 800, 1)
            pos=replay(r,n)
            t=time.time(); d=e.think(pos,bud); t=time.time()-t
            line.append(f'{n}@{bud:g}s: {d.value:+.2f} {d.proven or "-"} by {d.proven_by} move {d.move} depth {d.depth} {t:.2f}s')
        print(g,P,'free',replay(r,P).free_cells(),'played',r.moves[P-1].move,'next',r.moves[P].move,' | '.join(line),flush=True)
