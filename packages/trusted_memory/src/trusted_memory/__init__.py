"""The engine's surface: what an application imports, listed in __init__.pyi. All else may change without notice.

Each name is loaded when it is first asked for, so that a command or a pure test does not wait for all of LangGraph.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
