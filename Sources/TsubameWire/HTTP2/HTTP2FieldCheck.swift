// HTTP2FieldCheck: validates a decoded field section before it is used (RFC 9113 sections 8.1 to 8.3).

import HTTPTypes
import TsubameCore

enum HTTP2FieldCheck {
    /// The content of a response's head.
    struct Head {
        let status: Int
        let length: Int64?
        /// The fields without the pseudo-field, with trimmed values; nil if no value had blanks around it.
        let slots: [FieldSlot]?
    }

    /// Validates a response's head.
    /// - Throws: kind `invalidResponse` for a missing, surplus or late pseudo-field, and for an upper-case letter or
    ///   another byte that no name has. Also for a control character in a value, a field that concerns an HTTP/1
    ///   connection, and different lengths. Kind `limitExceeded` for a field that is too long.
    static func head(
        _ slots: UnsafeBufferPointer<FieldSlot>, _ bytes: UnsafeRawBufferPointer, _ limits: Limits
    ) throws(WireError) -> Head {
        guard let base = bytes.baseAddress, let first = slots.first, ByteScan.byte(base, Int(first.nameStart)) == 0x3A
        else { throw .invalid("the response's head does not begin with :status") }
        let status = try status(first, base)
        let regular = UnsafeBufferPointer(rebasing: slots[1...])
        let (lengths, trimmed) = try check(regular, bytes, limits)
        guard lengths != 0 else { return Head(status: status, length: nil, slots: trimmed) }
        var length: Int64?
        if let trimmed {
            length = try trimmed.withUnsafeBufferPointer { slots throws(WireError) in
                try Self.length(slots, lengths, base)
            }
        } else {
            length = try Self.length(regular, lengths, base)
        }
        return Head(status: status, length: length, slots: trimmed)
    }

    private static func length(
        _ slots: UnsafeBufferPointer<FieldSlot>, _ candidates: UInt64, _ base: UnsafeRawPointer
    ) throws(WireError) -> Int64? {
        try ResponseFraming(slots, candidates: candidates, base).length
    }

    /// Validates a trailer section.
    /// - Returns: the fields that are safe to use; nil if there are none.
    static func trailers(
        _ slots: UnsafeBufferPointer<FieldSlot>, _ bytes: UnsafeRawBufferPointer, _ limits: Limits
    ) throws(WireError) -> HTTPFields? {
        guard let base = bytes.baseAddress, slots.count > 0 else { return nil }
        let (_, trimmed) = try check(slots, bytes, limits)
        return trimmed?.withUnsafeBufferPointer { TrailerSection.fields($0, base) }
            ?? TrailerSection.fields(slots, base)
    }

    private static func status(_ slot: FieldSlot, _ base: UnsafeRawPointer) throws(WireError) -> Int {
        let name = UnsafeRawBufferPointer(start: base + Int(slot.nameStart), count: Int(slot.nameLength))
        let value = UnsafeRawBufferPointer(start: base + Int(slot.valueStart), count: Int(slot.valueLength))
        guard ByteScan.equals(base + Int(slot.nameStart), name.count, ":status") else {
            throw .invalid("the response's head has \(Quotation.of(name)) in the place of :status")
        }
        guard value.count == 3, value[0] != 0x30, value.allSatisfy({ $0 &- 0x30 <= 9 }) else {
            throw .invalid(":status \(Quotation.of(value)) is no status")
        }
        return value.reduce(0) { $0 &* 10 &+ Int($1 &- 0x30) }
    }

    /// - Returns: `lengths`, in which bit n is set if field n is Content-Length; bit 63 stands for all fields from 63
    ///   on. `trimmed` holds the fields without the blanks around their values; it is nil if there were none.
    private static func check(
        _ slots: UnsafeBufferPointer<FieldSlot>, _ bytes: UnsafeRawBufferPointer, _ limits: Limits
    ) throws(WireError) -> (lengths: UInt64, trimmed: [FieldSlot]?) {
        guard let base = bytes.baseAddress else { return (0, nil) }
        var lengths: UInt64 = 0
        var trimmed: [FieldSlot]?
        var index = 0
        while index < slots.count {
            let slot = slots[index]
            let (start, length) = (Int(slot.nameStart), Int(slot.nameLength))
            let (valueStart, valueEnd) = (Int(slot.valueStart), Int(slot.valueStart) &+ Int(slot.valueLength))
            try checkName(base, start, start &+ length, bytes.count)
            guard length &+ Int(slot.valueLength) <= limits.lineBytes else {
                throw .limit("a field is longer than \(limits.lineBytes) bytes (limits.lineBytes)")
            }
            switch length {
            case ..<7: break
            case 7 where ByteScan.matches(base + start, 7, "upgrade"),
                10 where ByteScan.matches(base + start, 10, "connection"),
                10 where ByteScan.matches(base + start, 10, "keep-alive"),
                16 where ByteScan.matches(base + start, 16, "proxy-connection"),
                17 where ByteScan.matches(base + start, 17, "transfer-encoding"):
                let name = UnsafeRawBufferPointer(start: base + start, count: length)
                throw .invalid("the field \(Quotation.of(name)) is not allowed in HTTP/2")
            case 14 where ByteScan.matches(base + start, 14, "content-length"):
                lengths |= 1 &<< UInt64(truncatingIfNeeded: Swift.min(index, 63))
            default: break
            }
            try checkValue(base, valueStart, valueEnd)
            if valueEnd > valueStart, isBlank(base, valueStart) || isBlank(base, valueEnd &- 1) {
                // One array, changed in its place.
                if trimmed == nil { trimmed = Array(slots) }
                trimmed?[index] = trim(slot, base)
            }
            index &+= 1
        }
        return (lengths, trimmed)
    }

    /// - Parameter limit: where the bytes of all fields end.
    @inline(__always)
    private static func checkName(
        _ base: UnsafeRawPointer, _ start: Int, _ end: Int, _ limit: Int
    ) throws(WireError) {
        guard end > start, ByteScan.lowercaseTokenEnd(base, start, end, limit) == end else {
            let name = Quotation.of(UnsafeRawBufferPointer(start: base + start, count: end &- start))
            if end > start, ByteScan.byte(base, start) == 0x3A {
                throw .invalid("the pseudo-field \(name) is one too many, or too late")
            }
            throw .invalid("a field's name holds a forbidden character, such as an upper-case letter: \(name)")
        }
    }

    @inline(__always)
    private static func checkValue(_ base: UnsafeRawPointer, _ start: Int, _ end: Int) throws(WireError) {
        let at = ByteScan.valueEnd(base, start, end)
        guard at == end else { throw .invalid("a field's value holds \(Quotation.of(ByteScan.byte(base, at)))") }
    }

    @inline(__always)
    private static func isBlank(_ base: UnsafeRawPointer, _ at: Int) -> Bool { ByteScan.byte(base, at) <= 0x20 }

    /// Blanks around a value violate RFC 9113 section 8.2.1, but servers send them. In HTTP/1 they have no meaning.
    private static func trim(_ slot: FieldSlot, _ base: UnsafeRawPointer) -> FieldSlot {
        var (start, end) = (Int(slot.valueStart), Int(slot.valueStart) &+ Int(slot.valueLength))
        while start < end, isBlank(base, start) { start &+= 1 }
        while end > start, isBlank(base, end &- 1) { end &-= 1 }
        return FieldSlot(
            nameStart: Int(slot.nameStart), nameLength: Int(slot.nameLength), valueStart: start,
            valueLength: end &- start)
    }
}
