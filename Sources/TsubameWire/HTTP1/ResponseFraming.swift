// ResponseFraming: the fields of a head that delimit its body and govern the connection (RFC 9112 sections 6 and 9.3).

import TsubameCore

struct ResponseFraming {
    /// The value of Content-Length.
    private(set) var length: Int64?
    /// Whether there is a Transfer-Encoding field, whose only accepted value is `chunked`.
    private(set) var isChunked = false
    private(set) var saysClose = false
    private(set) var saysKeepAlive = false

    /// - Parameters:
    ///   - candidates: bit n is set if field n must be read. Bit 63 stands for all fields from 63 on.
    ///   - base: the bytes of the head, after folds were joined.
    init(
        _ fields: UnsafeBufferPointer<FieldSlot>, candidates: UInt64, _ base: UnsafeRawPointer
    ) throws(WireError) {
        var candidates = candidates
        while candidates != 0 {
            var index = candidates.trailingZeroBitCount
            candidates &= candidates &- 1
            guard index < fields.count else { break }
            try read(fields[index], base)
            guard index == 63 else { continue }
            index += 1
            while index < fields.count {
                try read(fields[index], base)
                index += 1
            }
        }
    }

    @inline(__always)
    private mutating func read(_ field: FieldSlot, _ base: UnsafeRawPointer) throws(WireError) {
        let name = base + Int(field.nameStart)
        let value = UnsafeRawBufferPointer(
            start: base + Int(field.valueStart), count: Int(field.valueLength))
        switch field.nameLength {
        case 10 where ByteScan.matches(name, 10, "connection"): readOptions(value)
        case 14 where ByteScan.matches(name, 14, "content-length"): try readLength(value)
        case 17 where ByteScan.matches(name, 17, "transfer-encoding"): try readCoding(value)
        default: break
        }
    }

    /// Reads one number, or a list of equal numbers, into which a faulty intermediary may have merged fields (RFC 9112
    /// section 6.3).
    @inline(__always)
    private mutating func readLength(_ value: UnsafeRawBufferPointer) throws(WireError) {
        // A number of eighteen digits is below 2^63.
        guard let base = value.baseAddress, value.count > 0, value.count <= 18 else {
            return try readLengths(value)
        }
        var number: Int64 = 0
        var at = 0
        while at < value.count {
            let digit = ByteScan.byte(base, at) &- 0x30
            guard digit <= 9 else { return try readLengths(value) }
            number = number &* 10 &+ Int64(digit)
            at &+= 1
        }
        try accept(number, value)
    }

    private mutating func readLengths(_ value: UnsafeRawBufferPointer) throws(WireError) {
        var number: Int64 = 0
        var hasDigits = false
        var isClosed = false
        for byte in value {
            let digit = byte &- 0x30
            if digit <= 9, !isClosed {
                let (product, overflow) = number.multipliedReportingOverflow(by: 10)
                let (sum, carry) = product.addingReportingOverflow(Int64(digit))
                guard !overflow, !carry else {
                    throw .invalid("Content-Length \(Quotation.of(value)) is above 2^63 - 1")
                }
                number = sum
                hasDigits = true
            } else if byte == 0x2C, hasDigits {
                try accept(number, value)
                number = 0
                hasDigits = false
                isClosed = false
            } else if byte == 0x20 || byte == 0x09 {
                isClosed = hasDigits
            } else {
                throw .invalid("Content-Length \(Quotation.of(value)) is no number")
            }
        }
        guard hasDigits else { throw .invalid("Content-Length \(Quotation.of(value)) is no number") }
        try accept(number, value)
    }

    @inline(__always)
    private mutating func accept(_ number: Int64, _ value: UnsafeRawBufferPointer) throws(WireError) {
        guard length == nil || length == number else {
            throw .invalid("there are different Content-Lengths: \(length ?? 0) and \(Quotation.of(value))")
        }
        length = number
    }

    /// Accepts exactly one `chunked`. No request of this client allows another coding, and other values have made two
    /// recipients see two different messages.
    private mutating func readCoding(_ value: UnsafeRawBufferPointer) throws(WireError) {
        guard !isChunked else { throw .invalid("there are two Transfer-Encoding fields") }
        guard let base = value.baseAddress, ByteScan.matches(base, value.count, "chunked") else {
            throw .invalid("Transfer-Encoding \(Quotation.of(value)) is not \"chunked\"")
        }
        isChunked = true
    }

    private mutating func readOptions(_ value: UnsafeRawBufferPointer) {
        guard let base = value.baseAddress else { return }
        if ByteScan.matches(base, value.count, "keep-alive") {
            saysKeepAlive = true
            return
        }
        var start = 0
        while start < value.count {
            var end = start
            while end < value.count, value[end] != 0x2C { end &+= 1 }
            var last = end
            while start < last, value[start] == 0x20 || value[start] == 0x09 { start &+= 1 }
            while last > start, value[last &- 1] == 0x20 || value[last &- 1] == 0x09 { last &-= 1 }
            if ByteScan.matches(base + start, last &- start, "close") { saysClose = true }
            if ByteScan.matches(base + start, last &- start, "keep-alive") { saysKeepAlive = true }
            start = end &+ 1
        }
    }
}
