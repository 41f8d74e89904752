// HeadScanner: finds the lines and the fields of a head or a trailer section (RFC 9112 sections 4 and 5).

import TsubameCore

/// Reads the bytes of a section once, line by line, and can stop after any byte. The scanner examines a line only when
/// it is complete, so the result does not depend on how the section was cut into reads.
struct HeadScanner: ~Copyable {
    enum Section { case head, trailers }

    /// The limits of a section.
    struct Bounds {
        let bytes: Int
        let lineBytes: Int
        let fields: Int

        /// The offset up to which a line that starts at `line` may extend.
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

    /// The content of the first line of a head.
    struct StatusLine {
        fileprivate(set) var status = 0
        fileprivate(set) var minorVersion = 1
        /// Where the reason is in the section.
        fileprivate(set) var reason = 0..<0
    }

    private(set) var statusLine = StatusLine()
    /// Whether the bytes so far cannot become a status line.
    private(set) var isNotHTTP = false
    private(set) var hasFolds = false
    /// Bit n is set if the name of field n is as long as the name of a framing field. Bit 63 stands for all fields from
    /// 63 on.
    private(set) var candidates: UInt64 = 0

    private var slots: UnsafeMutablePointer<FieldSlot>
    /// The number of slots that are allocated. It never exceeds the limit.
    private var capacity: Int
    private var slotCount = 0
    /// Where the line that is being read starts.
    private var lineStart = 0
    /// Up to this offset, the line is known to hold no line feed.
    private var scanned = 0

    init(_ section: Section, _ bounds: Bounds) {
        self.section = section
        self.bounds = bounds
        capacity = Swift.min(32, bounds.fields)
        slots = .allocate(capacity: Swift.max(capacity, 1))
    }

    deinit { slots.deallocate() }

    /// The fields so far, valid until the next mutation. An obs-fold is a field without a name until
    /// ``joinFolds(in:behind:)``.
    var fields: UnsafeBufferPointer<FieldSlot> { UnsafeBufferPointer(start: slots, count: slotCount) }

    /// Prepares for another section.
    mutating func reset() {
        slotCount = 0
        lineStart = 0
        scanned = 0
        candidates = 0
        hasFolds = false
        isNotHTTP = false
    }

    /// - Parameters:
    ///   - base: the section from its start; the same at every call.
    ///   - end: the number of its bytes that have arrived.
    /// - Returns: the length of the section, including the empty line that ends it; nil if more bytes are needed.
    mutating func scan(_ base: UnsafeRawPointer, _ end: Int) throws(WireError) -> Int? {
        if scanned > lineStart, ByteScan.firstLineFeed(base, scanned, end) == nil {
            return try wait(base, lineStart, end)
        }
        // `pause` handles a line that is incomplete, wrong, or beyond the limits.
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
                // Only a fold may start with a blank, and a fold needs a field before it.
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
            // Assigned one by one: the initialiser belongs to another module and would be called. All offsets are below
            // 4 GiB.
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

    /// Whether a name is as long as Connection, Content-Length or Transfer-Encoding.
    @inline(__always)
    private static func isCandidate(_ nameLength: Int) -> Bool {
        nameLength == 10 || nameLength == 14 || nameLength == 17
    }

    // The helpers of the loop above are static: for a method, the compiler would copy all of `self` at each call.

    @inline(__always)
    private static func isBlank(_ byte: UInt8) -> Bool { byte <= 0x20 && (byte == 0x20 || byte == 0x09) }

    /// Where a value ends, without the blanks after it, and where the next line starts. The next start is 0 if it is
    /// not known yet or the bytes are not a value.
    @inline(__always)
    private static func value(
        _ base: UnsafeRawPointer, _ start: Int, _ end: Int, _ section: Section
    ) -> (end: Int, next: Int) {
        var at = ByteScan.valueEnd(base, start, end)
        guard at < end, let next = lineEnd(base, at, end, section) else { return (at, 0) }
        // No other byte up to 0x20 can be in a value.
        while at > start, ByteScan.byte(base, at &- 1) <= 0x20 { at &-= 1 }
        return (at, next)
    }

    /// The offset after the line end at `at`. A line ends in CRLF; in a head, a bare LF is accepted too (RFC 9112
    /// section 2.2).
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

    /// Reads `HTTP/1.x nnn reason`. The reason and the space before it may be missing.
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
        statusLine.status = hundreds &* 100 &+ tens &* 10 &+ ones
        statusLine.minorVersion = minor == 0 ? 0 : 1
        statusLine.reason = start..<reasonEnd
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

    /// Handles the line at `line`, which is incomplete or wrong.
    private mutating func pause(_ base: UnsafeRawPointer, _ line: Int, _ end: Int) throws(WireError) -> Int? {
        if let lineFeed = ByteScan.firstLineFeed(base, line, Swift.min(end, bounds.cap(line))) {
            let bytes = UnsafeRawBufferPointer(start: base, count: lineFeed)
            throw HeadDiagnosis(section: section, bytes: bytes, line: line).error
        }
        return try wait(base, line, end)
    }

    /// Handles the line at `line`, which is incomplete.
    private mutating func wait(_ base: UnsafeRawPointer, _ line: Int, _ end: Int) throws(WireError) -> Int? {
        lineStart = line
        scanned = end
        if line == 0, section == .head {
            let bytes = UnsafeRawBufferPointer(start: base, count: Swift.min(end, HeadDiagnosis.prefixLength))
            isNotHTTP = !HeadDiagnosis.startsAsHTTP(bytes)
            // A binary protocol may never send a line feed, so the fault is reported without waiting for one.
            let isEnough = bytes.count == HeadDiagnosis.prefixLength || HeadDiagnosis.startsAsTLS(bytes)
            if isNotHTTP, isEnough, bounds.cap(0) >= bytes.count {
                throw HeadDiagnosis(section: section, bytes: bytes, line: 0).error
            }
        }
        if end > bounds.cap(line) { throw bounds.error(line, section) }
        return nil
    }

    /// Joins every obs-fold to its field with one space (RFC 9112 section 5.2). A joined value is written after the
    /// section. The section's own bytes do not change.
    /// - Parameters:
    ///   - copy: the section, with room for as many bytes again after it.
    ///   - size: the section's length.
    /// - Returns: the length of the section together with the joined values after it, at most twice `size`.
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

    /// Removes all fields with this name.
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
