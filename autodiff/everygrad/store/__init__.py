"""Files of models: safetensors, .npz, and torch's own read without torch."""

from everygrad.store.errors import StoreError as StoreError
from everygrad.store.files import *
from everygrad.store.keys import *
from everygrad.store.model import *
from everygrad.store.opaque import *
from everygrad.store.report import *
from everygrad.store.tensor_file import *
from everygrad.store.torch_files import *
