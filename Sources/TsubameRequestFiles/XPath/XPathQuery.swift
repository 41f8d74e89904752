// XPathQuery: the value of an XPath expression in a document.

import TsubamePlatform

/// Evaluates XPath 1.0 by libxml2. Nothing is loaded, so a document cannot reach other files. libxml2 limits the depth of
/// elements and the length of texts. It would replace entities, also those that become gigabytes, so a document that declares
/// some is refused.
package enum XPathQuery {
    package enum Outcome {
        /// The text of each node.
        case nodes([String])
        case bool(Bool)
        case number(Double)
        case text(String)
    }

    package struct Problem: Error {
        let reason: String

        init(_ reason: String) { self.reason = reason }
    }

    /// The most nodes that a query may select.
    private static let maximumNodes: Int32 = 1_000_000
    /// The most bytes that the texts of all nodes may have together. A text within many elements is in the text of each.
    private static let maximumText = 256 << 20
    /// The options of libxml2: no network, no messages, and for HTML a document in spite of mistakes.
    private static let xmlOptions: Int32 = 1 << 11 | 1 << 5 | 1 << 6
    private static let htmlOptions: Int32 = 1 << 11 | 1 << 5 | 1 << 6 | 1

    /// Whether libxml2 was found.
    package static var isAvailable: Bool { XMLLibrary.found != nil }

    /// Whether the text is no XPath expression. Without libxml2 this is not known before the run.
    package static func isWrong(_ path: String) -> Bool {
        guard let library = XMLLibrary.found else { return false }
        library.setErrorHandler(nil) { _, _ in }
        defer { library.setErrorHandler(nil, nil) }
        // Without a context, libxml2 does not limit how deep an expression is nested.
        guard let context = library.newContext(nil) else { return false }
        defer { library.freeContext(context) }
        guard let compiled = library.compile(context, Array(path.utf8) + [0]) else { return true }
        library.freeCompiled(compiled)
        return false
    }

    package static func evaluate(_ path: String, in text: String, isHTML: Bool) throws(Problem) -> Outcome {
        guard let library = XMLLibrary.found else {
            throw Problem(
                "XPath needs libxml2, which is not installed: apt-get install libxml2, or brew install libxml2")
        }
        // Messages would go to the standard error.
        library.setErrorHandler(nil) { _, _ in }
        defer { library.setErrorHandler(nil, nil) }
        let bytes = Array(text.utf8)
        if !isHTML, let start = bytes.firstRange(of: Array("<!DOCTYPE".utf8)),
            bytes[start.upperBound...].firstRange(of: Array("<!ENTITY".utf8)) != nil
        {
            throw Problem("the body has <!ENTITY after <!DOCTYPE, and a document that declares entities is refused")
        }
        guard let size = Int32(exactly: bytes.count), size > 0 else { throw Problem("the body is empty") }
        let read = isHTML ? library.readHTML : library.readXML
        guard let document = read(bytes, size, nil, "UTF-8", isHTML ? htmlOptions : xmlOptions) else {
            throw Problem("the body is no \(isHTML ? "HTML" : "XML")")
        }
        defer { library.freeDocument(document) }
        guard let context = library.newContext(document) else { throw Problem("there is not enough memory") }
        defer { library.freeContext(context) }
        registerNamespaces(of: document, context, library)
        guard let object = library.evaluate(Array(path.utf8) + [0], context) else {
            throw Problem("“\(path)” is no XPath expression, or has a prefix that the document does not declare")
        }
        defer { library.freeObject(object) }
        return try outcome(object, library)
    }

    /// The prefixes of the document's first element. The namespace without a prefix gets the prefix `_`.
    private static func registerNamespaces(
        of document: OpaquePointer, _ context: OpaquePointer, _ library: XMLLibrary
    ) {
        guard let root = library.root(document), let list = library.namespaces(document, root) else { return }
        defer { free(list) }
        var next = list
        while let namespace = next.pointee {
            // The layout of `xmlNs`: next, type, href, prefix.
            if let name = namespace.load(fromByteOffset: 16, as: UnsafePointer<UInt8>?.self) {
                let prefix = namespace.load(fromByteOffset: 24, as: UnsafePointer<UInt8>?.self)
                if let prefix {
                    _ = library.register(context, prefix, name)
                } else {
                    _ = library.register(context, [UInt8(ascii: "_"), 0], name)
                }
            }
            next += 1
        }
    }

    /// The layout of `xmlXPathObject`: type, nodes, Boolean, number, text.
    private static func outcome(_ object: UnsafeRawPointer, _ library: XMLLibrary) throws(Problem) -> Outcome {
        switch object.load(as: Int32.self) {
        case 1: return .nodes(try nodes(object.load(fromByteOffset: 8, as: UnsafeRawPointer?.self), library))
        case 2: return .bool(object.load(fromByteOffset: 16, as: Int32.self) != 0)
        case 3: return .number(object.load(fromByteOffset: 24, as: Double.self))
        case 4:
            guard let text = object.load(fromByteOffset: 32, as: UnsafePointer<UInt8>?.self) else { return .text("") }
            return .text(String(cString: text))
        default: throw Problem("the expression gives neither nodes, a Boolean, a number nor text")
        }
    }

    /// The layout of `xmlNodeSet`: count, capacity, nodes.
    private static func nodes(_ set: UnsafeRawPointer?, _ library: XMLLibrary) throws(Problem) -> [String] {
        guard let set else { return [] }
        let count = set.load(as: Int32.self)
        guard count <= maximumNodes else { throw Problem("the expression selects more than \(maximumNodes) nodes") }
        guard count > 0, let table = set.load(fromByteOffset: 8, as: UnsafePointer<UnsafeRawPointer?>?.self) else {
            return []
        }
        var (texts, size): ([String], Int) = ([], 0)
        for index in 0..<Int(count) {
            guard let node = table[index], let text = library.nodeText(node) else {
                texts.append("")
                continue
            }
            defer { free(text) }
            texts.append(String(cString: text))
            size += texts[index].utf8.count
            guard size <= maximumText else { throw Problem("the nodes have more than 256 MiB of text") }
        }
        return texts
    }
}
