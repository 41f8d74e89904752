// Exports: the modules whose symbols `import Tsubame` also makes visible.

@_exported public import HTTPTypes
@_exported public import TsubameCore
@_exported public import TsubameWire
// The files of this module need no import of their own for it.
#if ENGINE
@_exported public import TsubameEngine
#endif
