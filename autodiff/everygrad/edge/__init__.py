"""The public edge: what users call is checked and explained here, once, by the types that it declares.

Public functions and Tensor methods that take options stand behind a thin layer. Options are read by their
annotations before anything is done, so that each backend takes and refuses the same; NumPy's numbers become
Python's. What still fails inside is explained on the way out, with the arguments as the user wrote them. The
functions in their own modules stay as they are: the library calls those, and pays nothing.
"""

from everygrad.edge.layer import behind_the_edge as behind_the_edge
from everygrad.edge.layer import methods_behind_the_edge as methods_behind_the_edge
