// HTTP2Settings: the settings of the peer, and those that the client announces (RFC 9113 section 6.5.2).

import TsubameCore

/// The peer's settings, with their default values until the peer changes them.
struct HTTP2Settings {
    /// The client's settings: no push, the window of each stream, and the maximum length of a head.
    enum Own {
        /// The first window of a stream, in bytes. It limits the memory that a stream takes when its reader is slow.
        static var firstStreamWindow: Int { 32 << 10 }
        /// The largest window of a stream, in bytes, for a reader that keeps up.
        static var streamWindow: Int { 1 << 20 }
        /// The window of the connection, in bytes. Bytes are given back as soon as they arrive, so that an unread
        /// stream does not block the others.
        static var connectionWindow: Int { 8 << 20 }
        /// The default, in bytes. Larger frames would delay other streams.
        static var frameSize: Int { 16_384 }
    }

    /// Whether the peer has sent its settings, with which an HTTP/2 connection begins.
    private(set) var hasArrived = false
    private(set) var headerTableSize = 4096
    /// The smallest table size in the last SETTINGS frame, which may have held more than one (RFC 7541 section 4.2).
    private(set) var smallestTableSize = 4096
    private(set) var maxConcurrentStreams: Int?
    private(set) var initialWindowSize = 65_535
    private(set) var maxFrameSize = 16_384

    /// - Parameter payload: the payload of a SETTINGS frame, a multiple of six bytes.
    mutating func read(_ payload: UnsafeRawBufferPointer) throws(HTTP2Fault) {
        var at = 0
        smallestTableSize = .max
        while at &+ 6 <= payload.count {
            let name = UInt16(bigEndian: payload.loadUnaligned(fromByteOffset: at, as: UInt16.self))
            let value = UInt32(bigEndian: payload.loadUnaligned(fromByteOffset: at &+ 2, as: UInt32.self))
            try read(name, value)
            at &+= 6
        }
        smallestTableSize = Swift.min(smallestTableSize, headerTableSize)
        hasArrived = true
    }

    // A value may be too large for an `Int` of 32 bits.
    private mutating func read(_ name: UInt16, _ value: UInt32) throws(HTTP2Fault) {
        switch name {
        case 1:
            headerTableSize = Int(clamping: value)
            smallestTableSize = Swift.min(smallestTableSize, headerTableSize)
        case 2:
            guard value == 0 else {
                throw HTTP2Fault(.protocolError, .invalid("SETTINGS_ENABLE_PUSH is \(value), from a server"))
            }
        case 3: maxConcurrentStreams = Int(clamping: value)
        case 4:
            guard value <= 0x7FFF_FFFF else {
                throw HTTP2Fault(.flowControl, .invalid("SETTINGS_INITIAL_WINDOW_SIZE is above 2^31 - 1: \(value)"))
            }
            initialWindowSize = Int(value)
        case 5:
            guard (16_384...0xFF_FFFF).contains(value) else {
                throw HTTP2Fault(.protocolError, .invalid("SETTINGS_MAX_FRAME_SIZE is out of bounds: \(value)"))
            }
            maxFrameSize = Int(value)
        // Unknown settings have no meaning.
        default: break
        }
    }

    /// The window after a change; nil if it would exceed 2^31 - 1 (RFC 9113 section 6.9.1).
    static func window(_ window: Int, widenedBy difference: Int) -> Int? {
        // An `Int` of 32 bits overflows exactly at this limit.
        let (sum, overflow) = window.addingReportingOverflow(difference)
        return overflow || sum > 0x7FFF_FFFF ? nil : sum
    }

    /// The client's connection preface: the magic, its settings, and a wider window (RFC 9113 section 3.4).
    /// - Parameter headBytes: the maximum length of a response's head, in bytes.
    static func preface(headBytes: Int) -> [UInt8] {
        var bytes = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
        let settings: [(UInt16, Int)] = [(2, 0), (4, Own.firstStreamWindow), (6, headBytes)]
        bytes.append(
            HTTP2Frame.Header(length: settings.count * 6, type: HTTP2Frame.settings, flags: 0, stream: 0))
        for (name, value) in settings {
            bytes.append(bigEndian: name)
            bytes.append(bigEndian: UInt32(clamping: value))
        }
        bytes.append(HTTP2Frame.Header(length: 4, type: HTTP2Frame.windowUpdate, flags: 0, stream: 0))
        bytes.append(bigEndian: UInt32(Own.connectionWindow - 65_535))
        return bytes
    }
}
