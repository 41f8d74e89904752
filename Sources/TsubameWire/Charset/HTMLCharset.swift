// HTMLCharset: the encoding that an HTML document names in its own text.

/// Finds `<meta charset>` as browsers do (WHATWG HTML section 13.2.3.2). Only the first 1,024 bytes are read.
enum HTMLCharset {
    private static let scannedBytes = 1_024

    /// The encoding that the document names; nil if it names none that is known.
    static func find(in document: some Collection<UInt8>) -> Charset? {
        var rest = Array(document.prefix(scannedBytes))[...]
        while let open = rest.firstIndex(of: UInt8(ascii: "<")) {
            rest = rest[(open + 1)...]
            if rest.starts(with: "!--".utf8) {
                // `<!-->` is a comment, too.
                guard let end = rest.dropFirst().firstRange(of: Array("-->".utf8)) else { return nil }
                rest = rest[end.upperBound...]
            } else if isMeta(rest) {
                rest = rest.dropFirst(4)
                if let charset = meta(&rest) { return charset }
            } else if let first = rest.first, isLetter(first) || first == UInt8(ascii: "/") {
                rest = rest.drop { !isSpace($0) && $0 != UInt8(ascii: ">") }
                while attribute(&rest) != nil {}
            }
        }
        return nil
    }

    private static func isMeta(_ rest: ArraySlice<UInt8>) -> Bool {
        guard rest.prefix(4).map(lowered).elementsEqual("meta".utf8), let next = rest.dropFirst(4).first else {
            return false
        }
        return isSpace(next) || next == UInt8(ascii: "/")
    }

    /// The encoding that one meta element names.
    private static func meta(_ rest: inout ArraySlice<UInt8>) -> Charset? {
        var (charset, content): (String?, String?)
        var isContentType = false
        while let (name, value) = attribute(&rest) {
            switch name {
            case "charset": charset = charset ?? value
            case "content": content = content ?? value
            case "http-equiv": isContentType = isContentType || value == "content-type"
            default: break
            }
        }
        let label = charset ?? (isContentType ? content.flatMap(label) : nil)
        guard let found = label.flatMap({ Charset(label: $0) }) else { return nil }
        switch found {
        // The element could be read as ASCII, so the document is not in UTF-16.
        case .utf16, .utf16LittleEndian, .utf16BigEndian: return .utf8
        default: return found
        }
    }

    /// The label after `charset=` in the content of a meta element.
    private static func label(_ content: String) -> String? {
        var rest = content[...]
        repeat {
            guard let name = rest.firstRange(of: "charset") else { return nil }
            rest = rest[name.upperBound...].drop { $0.isWhitespace }
        } while rest.first != "="
        rest = rest.dropFirst().drop { $0.isWhitespace }
        if let quote = rest.first, quote == "\"" || quote == "'" {
            rest = rest.dropFirst()
            guard let end = rest.firstIndex(of: quote) else { return nil }
            return String(rest[..<end])
        }
        return String(rest.prefix { !$0.isWhitespace && $0 != ";" })
    }

    /// The next attribute of a tag, in lower case; nil at the end of the tag.
    private static func attribute(_ rest: inout ArraySlice<UInt8>) -> (name: String, value: String)? {
        rest = rest.drop { isSpace($0) || $0 == UInt8(ascii: "/") }
        guard let first = rest.first, first != UInt8(ascii: ">") else { return nil }
        let name = [first] + rest.dropFirst().prefix { !isSpace($0) && !"=/>".utf8.contains($0) }
        rest = rest.dropFirst(name.count).drop(while: isSpace)
        guard rest.first == UInt8(ascii: "=") else { return (text(name), "") }
        rest = rest.dropFirst().drop(while: isSpace)
        let value: ArraySlice<UInt8>
        if let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
            value = rest.dropFirst().prefix { $0 != quote }
            rest = rest[value.endIndex...].dropFirst()
        } else {
            value = rest.prefix { !isSpace($0) && $0 != UInt8(ascii: ">") }
            rest = rest[value.endIndex...]
        }
        return (text(name), text(value))
    }

    private static func text(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: bytes.map(lowered), as: UTF8.self)
    }

    private static func lowered(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(lowered(byte)) }

    private static func isSpace(_ byte: UInt8) -> Bool { [0x09, 0x0A, 0x0C, 0x0D, 0x20].contains(byte) }
}
