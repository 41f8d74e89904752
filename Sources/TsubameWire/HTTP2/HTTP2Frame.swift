// HTTP2Frame: the types and flags of frames, and the nine-byte header before each (RFC 9113 sections 4.1 and 6).

package enum HTTP2Frame {
    package static var data: UInt8 { 0 }
    package static var headers: UInt8 { 1 }
    package static var priority: UInt8 { 2 }
    package static var resetStream: UInt8 { 3 }
    package static var settings: UInt8 { 4 }
    package static var pushPromise: UInt8 { 5 }
    package static var ping: UInt8 { 6 }
    package static var goAway: UInt8 { 7 }
    package static var windowUpdate: UInt8 { 8 }
    package static var continuation: UInt8 { 9 }

    package static var endStream: UInt8 { 0x1 }
    package static var acknowledgement: UInt8 { 0x1 }
    package static var endHeaders: UInt8 { 0x4 }
    package static var padded: UInt8 { 0x8 }
    package static var hasPriority: UInt8 { 0x20 }

    /// The header before a frame's payload.
    package struct Header {
        package static var size: Int { 9 }

        package let length: Int
        package let type: UInt8
        package let flags: UInt8
        package let stream: UInt32

        package init(length: Int, type: UInt8, flags: UInt8, stream: UInt32) {
            self.length = length
            self.type = type
            self.flags = flags
            self.stream = stream
        }

        /// - Parameter base: at least nine readable bytes.
        init(_ base: UnsafeRawPointer) {
            let word = UInt32(bigEndian: base.loadUnaligned(as: UInt32.self))
            length = Int(word &>> 8)
            type = UInt8(truncatingIfNeeded: word)
            flags = base.load(fromByteOffset: 4, as: UInt8.self)
            // The reserved bit has no meaning.
            stream = UInt32(bigEndian: base.loadUnaligned(fromByteOffset: 5, as: UInt32.self)) & 0x7FFF_FFFF
        }

        /// - Parameter output: room for nine bytes.
        package func write(to output: UnsafeMutableRawPointer) {
            let word = UInt32(truncatingIfNeeded: length) &<< 8 | UInt32(type)
            output.storeBytes(of: word.bigEndian, as: UInt32.self)
            output.storeBytes(of: flags, toByteOffset: 4, as: UInt8.self)
            output.storeBytes(of: stream.bigEndian, toByteOffset: 5, as: UInt32.self)
        }

        func has(_ flag: UInt8) -> Bool { flags & flag != 0 }
    }
}

extension [UInt8] {
    mutating func append(_ header: HTTP2Frame.Header) {
        append(bigEndian: UInt32(truncatingIfNeeded: header.length) &<< 8 | UInt32(header.type))
        append(header.flags)
        append(bigEndian: header.stream)
    }

    mutating func append(bigEndian number: UInt32) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }

    mutating func append(bigEndian number: UInt16) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }
}
