// XMLLibrary: the functions of libxml2 that read a document and evaluate XPath.

import TsubamePlatform

/// libxml2, found at run time. So the binary does not contain it, and files without XPath do not need it.
struct XMLLibrary: Sendable {
    typealias Read =
        @convention(c) @Sendable (
            UnsafePointer<UInt8>, Int32, UnsafePointer<CChar>?, UnsafePointer<CChar>?, Int32
        ) -> OpaquePointer?
    typealias FreeDocument = @convention(c) @Sendable (OpaquePointer) -> Void
    typealias Root = @convention(c) @Sendable (OpaquePointer) -> OpaquePointer?
    typealias Namespaces =
        @convention(c) @Sendable (OpaquePointer, OpaquePointer) -> UnsafeMutablePointer<UnsafeRawPointer?>?
    typealias NewContext = @convention(c) @Sendable (OpaquePointer?) -> OpaquePointer?
    typealias FreeContext = @convention(c) @Sendable (OpaquePointer) -> Void
    typealias Register =
        @convention(c) @Sendable (OpaquePointer, UnsafePointer<UInt8>, UnsafePointer<UInt8>) -> Int32
    typealias Evaluate = @convention(c) @Sendable (UnsafePointer<UInt8>, OpaquePointer) -> UnsafeRawPointer?
    typealias Compile = @convention(c) @Sendable (OpaquePointer, UnsafePointer<UInt8>) -> OpaquePointer?
    typealias FreeCompiled = @convention(c) @Sendable (OpaquePointer) -> Void
    typealias FreeObject = @convention(c) @Sendable (UnsafeRawPointer) -> Void
    typealias NodeText = @convention(c) @Sendable (UnsafeRawPointer) -> UnsafeMutablePointer<UInt8>?
    typealias ErrorHandler = @convention(c) (UnsafeMutableRawPointer?, UnsafeRawPointer?) -> Void
    typealias SetErrorHandler = @convention(c) @Sendable (UnsafeMutableRawPointer?, ErrorHandler?) -> Void

    /// nil if no library is installed.
    static let found = XMLLibrary()

    let readXML: Read
    let readHTML: Read
    let freeDocument: FreeDocument
    let root: Root
    let namespaces: Namespaces
    let newContext: NewContext
    let freeContext: FreeContext
    let register: Register
    let evaluate: Evaluate
    let compile: Compile
    let freeCompiled: FreeCompiled
    let freeObject: FreeObject
    let nodeText: NodeText
    let setErrorHandler: SetErrorHandler

    private init?() {
        // Both versions have the same functions and layouts.
        guard let library = SharedLibrary("xml2", version: 2) ?? SharedLibrary("xml2", version: 16),
            let readXML = library.function("xmlReadMemory", as: Read.self),
            let readHTML = library.function("htmlReadMemory", as: Read.self),
            let freeDocument = library.function("xmlFreeDoc", as: FreeDocument.self),
            let root = library.function("xmlDocGetRootElement", as: Root.self),
            let namespaces = library.function("xmlGetNsList", as: Namespaces.self),
            let newContext = library.function("xmlXPathNewContext", as: NewContext.self),
            let freeContext = library.function("xmlXPathFreeContext", as: FreeContext.self),
            let register = library.function("xmlXPathRegisterNs", as: Register.self),
            let evaluate = library.function("xmlXPathEvalExpression", as: Evaluate.self),
            let compile = library.function("xmlXPathCtxtCompile", as: Compile.self),
            let freeCompiled = library.function("xmlXPathFreeCompExpr", as: FreeCompiled.self),
            let freeObject = library.function("xmlXPathFreeObject", as: FreeObject.self),
            let nodeText = library.function("xmlXPathCastNodeToString", as: NodeText.self),
            let setErrorHandler = library.function("xmlSetStructuredErrorFunc", as: SetErrorHandler.self)
        else { return nil }
        self.readXML = readXML
        self.readHTML = readHTML
        self.freeDocument = freeDocument
        self.root = root
        self.namespaces = namespaces
        self.newContext = newContext
        self.freeContext = freeContext
        self.register = register
        self.evaluate = evaluate
        self.compile = compile
        self.freeCompiled = freeCompiled
        self.freeObject = freeObject
        self.nodeText = nodeText
        self.setErrorHandler = setErrorHandler
    }
}
