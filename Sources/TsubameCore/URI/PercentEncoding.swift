// PercentEncoding: percent-encoding (RFC 3986 §2.1) of UTF-8 bytes.

package enum PercentEncoding {
    /// Escapes all characters except RFC 3986's unreserved ones and those in `extra`, with upper-case digits.
    ///
    /// A text that needs no escape is returned unchanged. With `spaceAsPlus`, a space becomes `+`, as in HTML forms.
    package static func encode(
        _ text: String, allowing extra: ASCIISet = .none, spaceAsPlus: Bool = false
    ) -> String {
        var text = text
        let kept = ASCIISet.unreserved.union(extra)
        let encoded = text.withUTF8 { bytes -> String? in
            let count = encodedCount(of: bytes, keeping: kept, spaceAsPlus: spaceAsPlus)
            if count == bytes.count, !(spaceAsPlus && bytes.contains(UInt8(ascii: " "))) { return nil }
            return String(unsafeUninitializedCapacity: count) { output in
                write(bytes, to: output, at: 0, keeping: kept, spaceAsPlus: spaceAsPlus)
            }
        }
        return encoded ?? text
    }

    /// Escapes the name of a part as WHATWG HTML (section 4.10.21.8) and all browsers do. Nothing else is escaped, not even a
    /// percent sign.
    package static func partName(_ name: String) -> String {
        var escaped = ""
        for scalar in name.unicodeScalars {
            switch scalar {
            case "\"": escaped += "%22"
            case "\r": escaped += "%0D"
            case "\n": escaped += "%0A"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// Escapes bytes that need not be text.
    package static func encode(_ bytes: some Collection<UInt8>, allowing extra: ASCIISet = .none) -> String {
        let kept = ASCIISet.unreserved.union(extra)
        func encoded(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
            String(unsafeUninitializedCapacity: encodedCount(of: bytes, keeping: kept)) { output in
                write(bytes, to: output, at: 0, keeping: kept)
            }
        }
        return bytes.withContiguousStorageIfAvailable(encoded) ?? Array(bytes).withUnsafeBufferPointer(encoded)
    }

    /// Decodes the escapes; nil if an escape is malformed or the result is not UTF-8.
    package static func decode(_ text: String, plusAsSpace: Bool = false) -> String? {
        var text = text
        return text.withUTF8 { bytes -> String?? in
            guard needsDecoding(bytes, plusAsSpace: plusAsSpace) else { return .none }
            var isWellFormed = true
            let decoded = [UInt8](unsafeUninitializedCapacity: bytes.count) { output, count in
                count = decode(bytes, to: output, plusAsSpace: plusAsSpace, isWellFormed: &isWellFormed)
            }
            return .some(isWellFormed ? String(validating: decoded, as: UTF8.self) : nil)
        } ?? text
    }

    /// The bytes that the escapes stand for; nil if an escape is malformed.
    package static func decodeBytes(_ text: some StringProtocol) -> [UInt8]? {
        var text = String(text)
        return text.withUTF8 { bytes -> [UInt8]? in
            var isWellFormed = true
            let decoded = [UInt8](unsafeUninitializedCapacity: bytes.count) { output, count in
                count = decode(bytes, to: output, plusAsSpace: false, isWellFormed: &isWellFormed)
            }
            return isWellFormed ? decoded : nil
        }
    }

    /// Decodes the well-formed escapes and leaves the others unchanged. Bytes that are then not UTF-8 become U+FFFD.
    package static func decodeLeniently(_ text: String, plusAsSpace: Bool = false) -> String {
        var text = text
        return text.withUTF8 { bytes -> String? in
            needsDecoding(bytes, plusAsSpace: plusAsSpace)
                ? decodeLeniently(bytes, plusAsSpace: plusAsSpace) : nil
        } ?? text
    }

    package static func decodeLeniently(_ bytes: UnsafeBufferPointer<UInt8>, plusAsSpace: Bool = false) -> String {
        var isWellFormed = true
        return String(unsafeUninitializedCapacity: bytes.count) { output in
            decode(bytes, to: output, plusAsSpace: plusAsSpace, isWellFormed: &isWellFormed)
        }
    }
}

// Measuring and writing are separate, so that a whole query is measured first and written into one allocation.
extension PercentEncoding {
    package static func encodedCount(
        of bytes: UnsafeBufferPointer<UInt8>, keeping kept: ASCIISet = .unreserved, spaceAsPlus: Bool = false
    ) -> Int {
        var escapes = 0
        for byte in bytes where !kept.contains(byte) && !(spaceAsPlus && byte == UInt8(ascii: " ")) {
            escapes &+= 1
        }
        return bytes.count &+ 2 &* escapes
    }

    /// Writes from `start` on and returns the end. `output` must have room for `encodedCount` bytes.
    @discardableResult
    package static func write(
        _ bytes: UnsafeBufferPointer<UInt8>, to output: UnsafeMutableBufferPointer<UInt8>, at start: Int,
        keeping kept: ASCIISet = .unreserved, spaceAsPlus: Bool = false
    ) -> Int {
        var end = start
        for byte in bytes {
            if kept.contains(byte) {
                output[end] = byte
                end &+= 1
            } else if spaceAsPlus, byte == UInt8(ascii: " ") {
                output[end] = UInt8(ascii: "+")
                end &+= 1
            } else {
                output[end] = UInt8(ascii: "%")
                output[end &+ 1] = hexDigit(byte &>> 4)
                output[end &+ 2] = hexDigit(byte & 15)
                end &+= 3
            }
        }
        return end
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? value &+ UInt8(ascii: "0") : value &- 10 &+ UInt8(ascii: "A")
    }

    private static func hexValue(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit &- UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit &- UInt8(ascii: "A") &+ 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit &- UInt8(ascii: "a") &+ 10
        default: nil
        }
    }

    private static func needsDecoding(_ bytes: UnsafeBufferPointer<UInt8>, plusAsSpace: Bool) -> Bool {
        bytes.contains { $0 == UInt8(ascii: "%") || (plusAsSpace && $0 == UInt8(ascii: "+")) }
    }

    /// `output` needs room for as many bytes as `bytes` has, because decoding never makes more.
    private static func decode(
        _ bytes: UnsafeBufferPointer<UInt8>, to output: UnsafeMutableBufferPointer<UInt8>, plusAsSpace: Bool,
        isWellFormed: inout Bool
    ) -> Int {
        var read = 0
        var written = 0
        while read < bytes.count {
            var byte = bytes[read]
            read &+= 1
            if byte == UInt8(ascii: "%") {
                if bytes.count &- read >= 2, let high = hexValue(bytes[read]), let low = hexValue(bytes[read &+ 1]) {
                    byte = high &<< 4 | low
                    read &+= 2
                } else {
                    isWellFormed = false
                }
            } else if plusAsSpace, byte == UInt8(ascii: "+") {
                byte = UInt8(ascii: " ")
            }
            output[written] = byte
            written &+= 1
        }
        return written
    }
}
