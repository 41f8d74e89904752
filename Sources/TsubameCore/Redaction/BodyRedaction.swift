// BodyRedaction: withholds the values of secret names in the body of a request.

/// Redacts forms, JSON and multipart bodies. The content of any other type is shown as it is.
struct BodyRedaction {
    private enum Kind {
        case form, json, multipart, other

        init(_ type: String) {
            let type = type.lowercased()
            self =
                if type.hasPrefix("application/x-www-form-urlencoded") {
                    .form
                } else if type.hasPrefix("multipart/") {
                    .multipart
                } else {
                    type.contains("json") ? .json : .other
                }
        }
    }

    private let redaction: Redaction
    private let keepsNumbers: Bool
    /// The values that have been withheld, as they are written in the body.
    private(set) var withheld: [ArraySlice<UInt8>] = []

    /// - Parameter keepsNumbers: whether a withheld number in JSON becomes 0, and not a text.
    init(_ redaction: Redaction, keepsNumbers: Bool = false) {
        self.redaction = redaction
        self.keepsNumbers = keepsNumbers
    }

    /// - Parameters:
    ///   - type: the body's Content-Type.
    ///   - isCoded: whether a content coding hides the names in the body. A form, JSON or multipart body is then
    ///     withheld as a whole.
    mutating func redacted(_ bytes: ArraySlice<UInt8>, type: String, isCoded: Bool) -> [UInt8] {
        let kind = Kind(type)
        if isCoded, kind != .other { return Self.placeholder }
        return kind == .multipart ? multipart(bytes, type: type) : content(bytes, of: kind)
    }

    private mutating func content(_ bytes: ArraySlice<UInt8>, of kind: Kind) -> [UInt8] {
        switch kind {
        case .other:
            return redaction.nested(bytes, withheld: &withheld, depth: 0, keepsNumbers: keepsNumbers) ?? Array(bytes)
        // A multipart body inside another one is withheld as a whole.
        case .multipart: return Self.placeholder
        case .form, .json:
            // A zero byte means UTF-16 or UTF-32, where no name would be found.
            if bytes.contains(0) { return Self.placeholder }
            if kind == .form { return redaction.parameters(bytes, withheld: &withheld) }
            let json = JSONRedaction(bytes, by: redaction, keepsNumbers: keepsNumbers)
            withheld += json.withheld
            return json.output
        }
    }

    private mutating func multipart(_ bytes: ArraySlice<UInt8>, type: String) -> [UInt8] {
        let type = Array(type.utf8)
        guard let boundary = Self.parameter("boundary=", of: type[...]), !boundary.isEmpty else {
            return Self.placeholder
        }
        let delimiter = Array("--".utf8) + boundary
        guard let first = bytes.firstRange(of: delimiter) else { return Self.placeholder }
        // The parts of other types, such as multipart/mixed, have no names.
        let isForm = Self.lowercased(type.prefix(19)[...]).elementsEqual("multipart/form-data".utf8)
        var output = Array(bytes[..<first.upperBound])
        var rest = bytes[first.upperBound...]
        while let found = rest.firstRange(of: delimiter) {
            output += part(rest[..<found.lowerBound], isForm: isForm) + delimiter
            rest = rest[found.upperBound...]
        }
        // A truncated body ends inside a part.
        return output + (rest.starts(with: "--".utf8) ? Array(rest) : part(rest, isForm: isForm))
    }

    /// Fields and content of one part, and the line end before the next delimiter.
    private mutating func part(_ bytes: ArraySlice<UInt8>, isForm: Bool) -> [UInt8] {
        let lineEnd = Array("\r\n".utf8)
        guard let end = bytes.firstRange(of: lineEnd + lineEnd) else { return Self.placeholder }
        let head = bytes[..<end.lowerBound]
        let hasEnd = bytes.count - (end.upperBound - bytes.startIndex) >= 2 && bytes.suffix(2).elementsEqual(lineEnd)
        let content = bytes[end.upperBound...].dropLast(hasEnd ? 2 : 0)
        let name = Self.field("content-disposition:", in: head).flatMap { Self.parameter("name=", of: $0) }
        let type = Self.field("content-type:", in: head).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let isShown = name.map { !redaction.isSecret(utf8: $0) } ?? !isForm
        if !isShown { withheld.append(content) }
        let trimmed = String(type.drop { $0 == " " || $0 == "\t" })
        let shown = isShown ? self.content(content, of: Kind(trimmed)) : Self.placeholder
        return Array(bytes[..<end.upperBound]) + shown + (hasEnd ? lineEnd : [])
    }

    /// The value of the first field with that name. `name` is in lower case and ends with its colon.
    private static func field(_ name: String, in head: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let line = head.split(separator: 0x0A).first { lowercased($0.prefix(name.utf8.count)).elementsEqual(name.utf8) }
        return line.map { $0.dropFirst(name.utf8.count).prefix { $0 != 0x0D } }
    }

    /// The value of a parameter. `name` is in lower case and ends with its equals sign.
    ///
    /// The value is nil if the parameter is missing, or if readers of the field may disagree about it.
    private static func parameter(_ name: String, of value: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let quote = UInt8(ascii: "\"")
        // In RFC 9110 a backslash escapes the quote. In browsers the quote ends the value.
        if value.firstRange(of: [UInt8(ascii: "\\"), quote]) != nil { return nil }
        var isQuoted = false
        let parameters = value.split { byte in
            if byte == quote { isQuoted.toggle() }
            return byte == UInt8(ascii: ";") && !isQuoted
        }
        let found = parameters.dropFirst().compactMap { parameter -> ArraySlice<UInt8>? in
            let parameter = parameter.drop { $0 == 0x20 || $0 == 0x09 }
            let isIt = lowercased(parameter.prefix(name.utf8.count)).elementsEqual(name.utf8)
            return isIt ? parameter.dropFirst(name.utf8.count) : nil
        }
        guard found.count == 1, let text = found.first else { return nil }
        if text.first == quote { return text.dropFirst().prefix { $0 != quote } }
        return text.contains(quote) ? nil : text.prefix { $0 > 0x20 }
    }

    private static func lowercased(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    }

    private static let placeholder = Array(Redaction.placeholder.utf8)
}
