import sys; sys.path[:0]=['scripts/connect_four_training/trials']
from sr import *
for s in sys.argv[3:]:
    srun([x for x in s.split(',') if x],int(sys.argv[1]),int(sys.argv[2]))
