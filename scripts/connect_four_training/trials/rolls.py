import sys; sys.path[:0]=['.','scripts','scripts/connect_four_training/trials']
import numpy as np
from connect_four_training import positions
from bot.backends.compiled import Kernels
from bot.games.connect_four import adapter
from bot.search.uct.edge_nodes import layout
def rollout_means(p, count=128):
    kernels=Kernels('connect_four').obtain()
    e=adapter.make_engine(kernels, adapter.preset('default').with_values(['solver=false']), 200, 7)
    out=np.zeros(len(p),np.float32)
    for i,row in enumerate(p):
        pos=positions.board_of(row)
        e._write_position(pos); e._control[layout.MAX_ITERATIONS]=count
        out[i]=e._kernels.rollouts(e._address)/count
    return out
