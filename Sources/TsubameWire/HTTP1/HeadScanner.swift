// HeadScanner: finds the lines of a head or trailer section and where their fields lie (RFC 9112 sections 4 and 5).

import TsubameCore

/// Goes over the bytes of a section once, line by line, and can stop after any byte. A line is judged only when it is
/// whole, so that what comes of a section does not depend on how it was cut into reads.
struct HeadScanner: ~Copyable {
    enum Section { case head, trailers }

    /// How much a section may hold.
    struct Bounds {
        let bytes: Int
        let lineBytes: Int
        let fields: Int

        /// The offset up to which the line that starts at `line` may go.
        @inline(__always)
        func cap(_ line: Int) -> Int { Swift.min(line &+ lineBytes, bytes) }

        func error(_ line: Int, _ section: Section) -> WireError {
            line &+ lineBytes < bytes
                ? .limit("a line of \(section.words) is longer than \(lineBytes) bytes (limits.lineBytes)")
                : .limit("\(section.words) is longer than \(bytes) bytes (limits.\(section.limit))")
        }
    }

    let section: Section
    let bounds: Bounds

    private(set) var status = 0
    private(set) var minorVersion = 1
    private(set) var reason = 0..<0
    /// What was waited for cannot become a status line.
    private(set) var isForeign = false
    private(set) var hasFolds = false
    /// Bit n: field n's name is as long as a name that says something about framing; bit 63: or a later one's.
    private(set) var candidates: UInt64 = 0

    private var slots: UnsafeMutablePointer<FieldSlot>
    /// How many slots there is memory for; never above the bound.
    private var capacity: Int
    private var slotCount = 0
    /// Where the line that is being read starts.
    private var lineStart = 0
    /// Up to where it is known to hold no line feed.
    private var scanned = 0

    init(_ section: Section, _ bounds: Bounds) {
        self.section = section
        self.bounds = bounds
        capacity = Swift.min(32, bounds.fields)
        slots = .allocate(capacity: Swift.max(capacity, 1))
    }

    deinit { slots.deallocate() }

    /// The fields so far; an obs-fold is one without a name until ``joinFolds(in:behind:)``. Valid until the next mutation.
    var fields: UnsafeBufferPointer<FieldSlot> { UnsafeBufferPointer(start: slots, count: slotCount) }

    /// Before another section.
    mutating func reset() {
        slotCount = 0
        lineStart = 0
        scanned = 0
        candidates = 0
        hasFolds = false
        isForeign = false
    }

    /// - Parameters:
    ///   - base: the section from its start, the same at every call.
    ///   - end: how much of it is there.
    /// - Returns: the length of the section with the empty line that ends it; nil if more is needed.
    mutating func scan(_ base: UnsafeRawPointer, _ end: Int) throws(WireError) -> Int? {
        if scanned > lineStart, ByteScan.firstLineFeed(base, scanned, end) == nil {
            return try wait(base, lineStart, end)
        }
        // What is not a whole line within the bounds, or not right, is left to `pause`.
        let readable = Swift.min(end, bounds.bytes)
        var line = lineStart
        if line == 0, section == .head {
            guard let next = scanStatusLine(base, readable) else { return try pause(base, 0, end) }
            line = next
        }
        let lineBytes = bounds.lineBytes
        let section = section
        while line < readable {
            let nameEnd = ByteScan.tokenEnd(base, line, readable)
            guard nameEnd < readable else { break }
            var valueStart = nameEnd
            let byte = ByteScan.byte(base, nameEnd)
            if nameEnd == line {
                if byte == 0x0D || byte == 0x0A {
                    guard let next = Self.lineEnd(base, line, readable, section), next &- line <= lineBytes
                    else { break }
                    return next
                }
                // A fold continues a field: nothing else may start with a blank.
                guard Self.isBlank(byte), slotCount > 0 else { break }
                hasFolds = true
            } else {
                guard byte == 0x3A else { break }
                valueStart &+= 1
            }
            while valueStart < readable, Self.isBlank(ByteScan.byte(base, valueStart)) { valueStart &+= 1 }
            let (valueEnd, next) = Self.value(base, valueStart, readable, section)
            guard next > 0, next &- line <= lineBytes else { break }
            let nameLength = nameEnd &- line
            if slotCount == capacity { try grow() }
            // One by one: the initialiser belongs to another module and would be called. All are below 4 GiB.
            let slot = slots + slotCount
            slot.pointee.nameStart = UInt32(truncatingIfNeeded: line)
            slot.pointee.nameLength = UInt32(truncatingIfNeeded: nameLength)
            slot.pointee.valueStart = UInt32(truncatingIfNeeded: valueStart)
            slot.pointee.valueLength = UInt32(truncatingIfNeeded: valueEnd &- valueStart)
            if Self.isCandidate(nameLength) { candidates |= 1 &<< UInt64(truncatingIfNeeded: min(slotCount, 63)) }
            slotCount &+= 1
            line = next
        }
        return try pause(base, line, end)
    }

    /// The lengths of Connection, Content-Length and Transfer-Encoding.
    @inline(__always)
    private static func isCandidate(_ nameLength: Int) -> Bool {
        nameLength == 10 || nameLength == 14 || nameLength == 17
    }

    // What the loop above calls is static: as methods, the compiler would make a copy of all of `self` for each call.

    @inline(__always)
    private static func isBlank(_ byte: UInt8) -> Bool { byte <= 0x20 && (byte == 0x20 || byte == 0x09) }

    /// Where a value ends without the blanks behind it, and the next line starts: 0 if that is not known or it is
    /// no value.
    @inline(__always)
    private static func value(
        _ base: UnsafeRawPointer, _ start: Int, _ end: Int, _ section: Section
    ) -> (end: Int, next: Int) {
        var at = start
        while true {
            at = ByteScan.firstControl(base, at, end)
            guard at < end, ByteScan.byte(base, at) == 0x09 else { break }
            at &+= 1
        }
        guard at < end, let next = lineEnd(base, at, end, section) else { return (at, 0) }
        // No other byte up to 0x20 can be in a value.
        while at > start, ByteScan.byte(base, at &- 1) <= 0x20 { at &-= 1 }
        return (at, next)
    }

    /// The offset behind the line's end at `at`. CRLF, or in a head a bare LF too (RFC 9112 section 2.2).
    @inline(__always)
    private static func lineEnd(
        _ base: UnsafeRawPointer, _ at: Int, _ end: Int, _ section: Section
    ) -> Int? {
        let byte = ByteScan.byte(base, at)
        if byte == 0x0D {
            return at &+ 1 < end && ByteScan.byte(base, at &+ 1) == 0x0A ? at &+ 2 : nil
        }
        return byte == 0x0A && section == .head ? at &+ 1 : nil
    }

    /// `HTTP/1.x nnn reason`, or without the reason and its space.
    @inline(__always)
    private mutating func scanStatusLine(_ base: UnsafeRawPointer, _ end: Int) -> Int? {
        guard end >= 13 else { return nil }
        let word = UInt64(littleEndian: ByteScan.word(base, 0))
        let minor = word &>> 56 &- 0x30
        // "HTTP/1." read as little-endian.
        guard word & 0x00FF_FFFF_FFFF_FFFF == 0x002E_312F_5054_5448, minor <= 9, ByteScan.byte(base, 8) == 0x20
        else { return nil }
        let hundreds = Int(ByteScan.byte(base, 9)) &- 0x30
        let tens = Int(ByteScan.byte(base, 10)) &- 0x30
        let ones = Int(ByteScan.byte(base, 11)) &- 0x30
        guard hundreds >= 1, hundreds <= 9, tens >= 0, tens <= 9, ones >= 0, ones <= 9 else { return nil }
        var start = 12
        switch ByteScan.byte(base, 12) {
        case 0x20: start = 13
        case 0x0D, 0x0A: break
        default: return nil
        }
        let (reasonEnd, next) = Self.value(base, start, end, section)
        guard next > 0, next <= bounds.lineBytes else { return nil }
        status = hundreds &* 100 &+ tens &* 10 &+ ones
        minorVersion = minor == 0 ? 0 : 1
        reason = start..<reasonEnd
        return next
    }

    private mutating func grow() throws(WireError) {
        guard slotCount < bounds.fields else {
            throw .limit("\(section.words) has more than \(bounds.fields) fields (limits.headFields)")
        }
        capacity = Swift.min(capacity * 2, bounds.fields)
        let larger = UnsafeMutablePointer<FieldSlot>.allocate(capacity: capacity)
        larger.initialize(from: slots, count: slotCount)
        slots.deallocate()
        slots = larger
    }

    /// The line at `line` is not whole, or wrong.
    private mutating func pause(_ base: UnsafeRawPointer, _ line: Int, _ end: Int) throws(WireError) -> Int? {
        if let lineFeed = ByteScan.firstLineFeed(base, line, Swift.min(end, bounds.cap(line))) {
            let bytes = UnsafeRawBufferPointer(start: base, count: lineFeed)
            throw HeadDiagnosis(section: section, bytes: bytes, line: line).error
        }
        return try wait(base, line, end)
    }

    /// The line at `line` is not whole.
    private mutating func wait(_ base: UnsafeRawPointer, _ line: Int, _ end: Int) throws(WireError) -> Int? {
        lineStart = line
        scanned = end
        if line == 0, section == .head {
            let bytes = UnsafeRawBufferPointer(start: base, count: Swift.min(end, HeadDiagnosis.prefixLength))
            isForeign = !HeadDiagnosis.startsAsHTTP(bytes)
            // No need to wait for a line feed that a binary protocol may never send.
            let isEnough = bytes.count == HeadDiagnosis.prefixLength || HeadDiagnosis.startsAsTLS(bytes)
            if isForeign, isEnough, bounds.cap(0) >= bytes.count {
                throw HeadDiagnosis(section: section, bytes: bytes, line: 0).error
            }
        }
        if end > bounds.cap(line) { throw bounds.error(line, section) }
        return nil
    }

    /// Joins every obs-fold to its field by one space (RFC 9112 section 5.2). A joined value is written behind the section,
    /// whose own bytes stay as they came.
    /// - Parameters:
    ///   - copy: the section, with room for as much again behind it.
    ///   - size: the section's length.
    /// - Returns: the length of the section with the joined values behind it, at most twice `size`.
    mutating func joinFolds(in copy: UnsafeMutableRawPointer, behind size: Int) -> Int {
        var (kept, end) = (0, size)
        candidates = 0
        for index in 0..<slotCount {
            let slot = slots[index]
            if slot.nameLength > 0 {
                if Self.isCandidate(Int(slot.nameLength)) {
                    candidates |= 1 &<< UInt64(truncatingIfNeeded: min(kept, 63))
                }
                slots[kept] = slot
                kept += 1
            } else if kept > 0, slot.valueLength > 0 {
                let value = copy + Int(slot.valueStart)
                var (start, length) = (Int(slots[kept - 1].valueStart), Int(slots[kept - 1].valueLength))
                if length == 0 {
                    // Only this line has content so far.
                    (start, length) = (Int(slot.valueStart), Int(slot.valueLength))
                } else {
                    if start < size {
                        (copy + end).copyMemory(from: copy + start, byteCount: length)
                        (start, end) = (end, end + length)
                    }
                    copy.storeBytes(of: 0x20, toByteOffset: end, as: UInt8.self)
                    (copy + end + 1).copyMemory(from: value, byteCount: Int(slot.valueLength))
                    end += 1 + Int(slot.valueLength)
                    length = end - start
                }
                slots[kept - 1].valueStart = UInt32(truncatingIfNeeded: start)
                slots[kept - 1].valueLength = UInt32(truncatingIfNeeded: length)
            }
        }
        slotCount = kept
        hasFolds = false
        return end
    }

    /// Leaves out what must not be shown.
    mutating func removeFields(_ base: UnsafeRawPointer, named name: StaticString) {
        var kept = 0
        for index in 0..<slotCount {
            let slot = slots[index]
            if ByteScan.matches(base + Int(slot.nameStart), Int(slot.nameLength), name) { continue }
            slots[kept] = slot
            kept += 1
        }
        slotCount = kept
    }
}

extension HeadScanner.Section {
    var words: String { self == .head ? "the response's head" : "the trailer section" }
    var limit: String { self == .head ? "headBytes" : "trailerBytes" }
}
