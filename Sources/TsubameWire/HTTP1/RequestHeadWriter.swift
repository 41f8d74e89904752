// RequestHeadWriter: writes the bytes of a request's head, and verifies that they hold nothing else.

import HTTPTypes
import TsubameCore

/// Writes first and verifies afterwards. The result must hold exactly as many control characters as the line ends that
/// this type wrote. Therefore no part can add a line or end one.
struct RequestHeadWriter {
    private let base: UnsafeMutableRawPointer
    private let capacity: Int
    private(set) var count = 0
    /// Something did not fit and was left out.
    private(set) var isFull = false
    private var isWrong = false
    private(set) var lines = 0
    private var methodEnd = 0
    private var targetEnd = 0
    private var hostStart = 0
    private var hostEnd = 0

    init(_ base: UnsafeMutableRawPointer, capacity: Int) {
        self.base = base
        self.capacity = capacity
    }

    // MARK: Parts

    /// Writes the request line and Host.
    /// - Parameter isOld: whether the request line names HTTP/1.0.
    mutating func writeStart(_ method: String, _ target: String, _ authority: String, isOld: Bool) {
        put(method)
        methodEnd = count
        put(" ")
        put(target)
        targetEnd = count
        put(isOld ? " HTTP/1.0\r\nHost: " : " HTTP/1.1\r\nHost: ")
        hostStart = count
        put(authority)
        hostEnd = count
        put("\r\n")
        lines = 2
    }

    /// Writes lines that were encoded before.
    mutating func write(_ shared: PreencodedFields) {
        shared.lines.withUnsafeBytes { bytes in
            put(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
        }
        lines &+= shared.lineCount
    }

    /// - Returns: false at a field that cannot simply be copied: a Host that is not to be left out, or a field that
    ///   must not be set.
    mutating func writeFields(_ headers: HTTPFields, withoutHost: Bool = false) -> Bool {
        let total = headers.count
        guard total <= RequestValidation.maxFields else { return false }
        var hasCookie = false
        var index = 0
        while index < total {
            let start = count
            put(headers[index].name.rawName)
            guard count > start, ByteScan.byte(base, start) != 0x3A else { return false }
            let name = UnsafeRawPointer(base + start)
            switch count &- start {
            case 4 where ByteScan.matches(name, 4, "host"):
                guard withoutHost else { return false }
                count = start
            case 6 where ByteScan.matches(name, 6, "cookie"):
                if hasCookie {
                    count = start
                } else {
                    putCookies(headers, from: index)
                    hasCookie = true
                }
            case 14 where ByteScan.matches(name, 14, "content-length"): return false
            case 17 where ByteScan.matches(name, 17, "transfer-encoding"): return false
            default:
                put(": ")
                headers[index].withUnsafeBytesOfValue { put($0.baseAddress, $0.count) }
                put("\r\n")
                lines &+= 1
            }
            index &+= 1
        }
        return true
    }

    /// Writes the framing field and the empty line.
    mutating func writeEnd(_ framing: RequestEncoder.Framing) {
        switch framing {
        case .none:
            put("\r\n")
        case .length(let length):
            put("Content-Length: ")
            put(length)
            put("\r\n\r\n")
            lines &+= 1
        case .chunked:
            put("Transfer-Encoding: chunked\r\n\r\n")
            lines &+= 1
        }
        lines &+= 1
    }

    private mutating func putCookies(_ headers: HTTPFields, from first: Int) {
        put(": ")
        putValue(of: headers[first])
        for index in (first + 1)..<Swift.max(headers.count, first + 1) where headers[index].name == .cookie {
            put("; ")
            putValue(of: headers[index])
        }
        put("\r\n")
        lines &+= 1
    }

    // MARK: Bytes

    @inline(__always)
    private mutating func put(_ bytes: UnsafePointer<UInt8>?, _ length: Int) {
        guard let bytes else { return }
        guard length <= capacity &- count else {
            isFull = true
            return
        }
        (base + count).copyMemory(from: bytes, byteCount: length)
        count &+= length
    }

    @inline(__always)
    private mutating func put(_ literal: StaticString) { put(literal.utf8Start, literal.utf8CodeUnitCount) }

    @inline(__always)
    private mutating func put(_ text: String) {
        // Unlike `withUTF8`, this call needs no mutable copy of the string. It returns nil only for strings of
        // Foundation.
        if text.utf8.withContiguousStorageIfAvailable({ put($0.baseAddress, $0.count) }) == nil { putCopy(text) }
    }

    private mutating func putCopy(_ text: String) {
        var text = text
        text.withUTF8 { put($0.baseAddress, $0.count) }
    }

    @inline(__always)
    private mutating func putValue(of field: HTTPField) {
        field.withUnsafeBytesOfValue { put($0.baseAddress, $0.count) }
    }

    private mutating func put(_ number: Int64) {
        guard number >= 0 else {
            isWrong = true
            return
        }
        put(String(number))
    }

    // MARK: Proof

    /// Whether the bytes are exactly the intended head.
    mutating func isSound() -> Bool {
        guard !isFull, !isWrong else { return false }
        let head = UnsafeRawPointer(base)
        guard methodEnd > 0, ByteScan.tokenEnd(head, 0, count) == methodEnd,
            targetEnd > methodEnd &+ 1, ByteScan.firstInvisible(head, methodEnd &+ 1, count) == targetEnd,
            hostEnd > hostStart, ByteScan.firstInvisible(head, hostStart, count) == hostEnd
        else { return false }
        let controls = ByteScan.countControls(head, 0, pad())
        return controls == lines &* 2 || controls &- tabs == lines &* 2
    }

    /// Writes blanks after the head if there is room, so that `isSound` can read the head in whole vectors.
    private func pad() -> Int {
        guard count &+ 16 <= capacity else { return count }
        base.storeBytes(of: SIMD16<UInt8>(repeating: 0x20), toByteOffset: count, as: SIMD16<UInt8>.self)
        return (count &+ 15) & ~15
    }

    /// The number of tabs, the only control character that a value may hold.
    private var tabs: Int { UnsafeRawBufferPointer(start: base, count: count).count { $0 == 0x09 } }
}
