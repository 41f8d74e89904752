// Parameters+Form: parameters as text, `name=value&name=value`.

import TsubameCore

extension Parameters {
    /// The parameters as `name=value`, joined by `&`. All characters except RFC 3986's unreserved ones (`A–Z a–z 0–9
    /// - . _ ~`) are escaped. A space is written `%20`, or `+` if ``spaces`` is `.plus`.
    ///
    /// The text is valid in a query and as a body of type `application/x-www-form-urlencoded`.
    public func encoded() -> String {
        var capacity = 2 &* count
        let plus = spaces == .plus
        for element in self {
            capacity &+= Self.withUTF8(element.name) { PercentEncoding.encodedCount(of: $0, spaceAsPlus: plus) }
            capacity &+= Self.withUTF8(element.value) { PercentEncoding.encodedCount(of: $0, spaceAsPlus: plus) }
        }
        return String(unsafeUninitializedCapacity: capacity) { output in
            var end = 0
            for element in self {
                if end > 0 {
                    output[end] = UInt8(ascii: "&")
                    end &+= 1
                }
                end = Self.withUTF8(element.name) { PercentEncoding.write($0, to: output, at: end, spaceAsPlus: plus) }
                output[end] = UInt8(ascii: "=")
                end = Self.withUTF8(element.value) {
                    PercentEncoding.write($0, to: output, at: end &+ 1, spaceAsPlus: plus)
                }
            }
            return end
        }
    }

    /// Reads `application/x-www-form-urlencoded`, as the WHATWG URL standard does.
    ///
    /// Decoding never fails. `+` is a space, a malformed escape stays as it is, and bytes that are not UTF-8 become
    /// U+FFFD. A piece without `=` has an empty value, and an empty piece is skipped. A value may contain `=`.
    public static func decoding(_ text: String) -> Parameters {
        withUTF8(text) { decoding($0) }
    }

    /// Reads `application/x-www-form-urlencoded` from bytes, with the same rules.
    public static func decoding(_ bytes: some Collection<UInt8>) -> Parameters {
        bytes.withContiguousStorageIfAvailable { decoding($0) }
            ?? Array(bytes).withUnsafeBufferPointer { decoding($0) }
    }

    private static func decoding(_ bytes: UnsafeBufferPointer<UInt8>) -> Parameters {
        func text(_ piece: Slice<UnsafeBufferPointer<UInt8>>) -> String {
            PercentEncoding.decodeLeniently(UnsafeBufferPointer(rebasing: piece), plusAsSpace: true)
        }
        var elements: [Element] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix { $0 != UInt8(ascii: "&") }
            rest = rest[piece.endIndex...].dropFirst()
            if piece.isEmpty { continue }
            let name = piece.prefix { $0 != UInt8(ascii: "=") }
            elements.append(Element(name: text(name), value: text(piece[name.endIndex...].dropFirst())))
        }
        return Parameters(elements: elements)
    }

    private static func withUTF8<R>(_ text: String, _ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
        var text = text
        return text.withUTF8(body)
    }
}
