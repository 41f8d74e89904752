// Exports: the modules whose symbols `import Tsubame` also makes visible.

@_exported public import HTTPTypes
@_exported public import TsubameCore
@_exported public import TsubameEngine
@_exported public import TsubameWire
