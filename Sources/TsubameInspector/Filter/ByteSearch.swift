// ByteSearch: finds a text in bytes, with ASCII letters in either case.

import TsubameCore

/// A text to find. Upper and lower case of ASCII letters are the same.
struct ByteSearch: Sendable, Hashable {
    let text: String
    private let lower: [UInt8]
    private let upper: [UInt8]

    init(_ text: String) {
        self.text = text
        lower = text.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        upper = text.utf8.map { (0x61...0x7A).contains($0) ? $0 & 0xDF : $0 }
    }

    func isIn(_ bytes: Bytes?) -> Bool { bytes?.withUnsafeBytes { isIn($0) } ?? lower.isEmpty }

    func isIn(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { isIn(UnsafeRawBufferPointer($0)) }
    }

    func isIn(_ bytes: UnsafeRawBufferPointer) -> Bool { firstRange(in: bytes) != nil }

    /// The first place of the text.
    func firstRange(in bytes: UnsafeRawBufferPointer) -> Range<Int>? {
        guard let first = lower.first else { return 0..<0 }
        guard bytes.count >= lower.count, let base = bytes.baseAddress else { return nil }
        let last = bytes.count - lower.count
        let otherFirst = upper[0]
        return lower.withUnsafeBufferPointer { lower in
            upper.withUnsafeBufferPointer { upper in
                var index = 0
                while index <= last {
                    let byte = base.load(fromByteOffset: index, as: UInt8.self)
                    if byte == first || byte == otherFirst {
                        var length = 1
                        while length < lower.count {
                            let byte = base.load(fromByteOffset: index + length, as: UInt8.self)
                            guard byte == lower[length] || byte == upper[length] else { break }
                            length += 1
                        }
                        if length == lower.count { return index..<index + length }
                    }
                    index += 1
                }
                return nil
            }
        }
    }
}
