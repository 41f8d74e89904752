// InflateDecoder: decodes gzip (RFC 1952) and deflate (RFC 1950, RFC 1951) piece by piece with zlib.
import CZlib

package final class InflateDecoder: ContentDecoder {
    package enum Coding: String, Sendable {
        /// One member or several, one after the other. The content consists of all of them.
        case gzip
        /// With zlib's wrapper, as RFC 9110 section 8.4.1.2 specifies, or raw, as some servers send it. The first byte
        /// tells which.
        case deflate
    }

    private enum State: Equatable {
        /// No byte has arrived.
        case start
        case inside
        /// The coding ended. Zeros may follow. In gzip, another member may follow before any zero.
        case ended(hasPadding: Bool)
        case failed(ContentCodingError.Reason)
    }

    package let coding: Coding
    package private(set) var mayHaveMore = false
    private var state = State.start
    // zlib's state points back to its stream, so the stream must not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private var isOpen = false

    package init(_ coding: Coding) {
        self.coding = coding
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
    }

    deinit {
        if isOpen { inflateEnd(stream) }
        stream.deinitialize(count: 1)
        stream.deallocate()
    }

    package func decode(
        into output: UnsafeMutableRawBufferPointer, from input: UnsafeRawBufferPointer, inputConsumed: inout Int
    ) throws(ContentCodingError) -> Int {
        inputConsumed = 0
        mayHaveMore = false
        let output = UnsafeMutableRawBufferPointer(rebasing: output.prefix(Self.maximumOutput))
        guard !output.isEmpty else { return 0 }
        var produced = 0
        while produced < output.count {
            switch state {
            case .failed(let reason):
                // Bytes that were decoded before are returned first.
                guard produced == 0 else { return produced }
                throw ContentCodingError(coding: coding.rawValue, reason: reason)
            case .start:
                guard let first = input.first else { return 0 }
                open(first: first)
            case .inside:
                let before = (inputConsumed, produced)
                inflate(
                    UnsafeRawBufferPointer(rebasing: input[inputConsumed...]),
                    into: UnsafeMutableRawBufferPointer(rebasing: output[produced...]), &inputConsumed, &produced)
                if state == .inside, before == (inputConsumed, produced) { return produced }
            case .ended(let hasPadding):
                guard inputConsumed < input.count else { return produced }
                afterEnd(input[inputConsumed], hasPadding: hasPadding)
                if case .ended = state { inputConsumed += 1 }
            }
        }
        mayHaveMore = state == .inside
        return produced
    }

    package func finish() throws(ContentCodingError) {
        switch state {
        case .start, .ended: return
        case .inside: throw ContentCodingError(coding: coding.rawValue, reason: .truncated)
        case .failed(let reason): throw ContentCodingError(coding: coding.rawValue, reason: reason)
        }
    }

    private func open(first: UInt8) {
        // zlib's window bits: 15 is the largest window, +16 selects gzip, and a negative number selects raw deflate. A
        // zlib header begins with method 8 and a window of at most 7. A raw block with such a first byte would be a
        // stored block with a bit set in its padding, which no encoder makes.
        let windowBits: Int32 =
            switch coding {
            case .gzip: 15 + 16
            case .deflate: first & 0x8F == 8 ? 15 : -15
            }
        let status = inflateInit2_(stream, windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        isOpen = status == Z_OK
        state = isOpen ? .inside : .failed(status == Z_MEM_ERROR ? .outOfMemory : .corrupt("zlib refused to start"))
    }

    private func inflate(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, _ consumed: inout Int,
        _ produced: inout Int
    ) {
        let inputLength = UInt32(clamping: input.count)
        let outputLength = UInt32(clamping: output.count)
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
        stream.pointee.avail_in = stream.pointee.next_in == nil ? 0 : inputLength
        stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = outputLength
        let status = CZlib.inflate(stream, Z_NO_FLUSH)
        consumed += Int(inputLength - stream.pointee.avail_in)
        produced += Int(outputLength - stream.pointee.avail_out)
        switch status {
        case Z_OK, Z_BUF_ERROR: break
        case Z_STREAM_END: state = .ended(hasPadding: false)
        case Z_MEM_ERROR: state = .failed(.outOfMemory)
        case Z_NEED_DICT: state = .failed(.corrupt("it needs a dictionary"))
        default: state = .failed(.corrupt(stream.pointee.msg.map { String(cString: $0) } ?? "invalid data"))
        }
        // The memory belongs to the caller, and zlib must not keep its address.
        stream.pointee.next_in = nil
        stream.pointee.next_out = nil
    }

    private func afterEnd(_ next: UInt8, hasPadding: Bool) {
        if next == 0 {
            state = .ended(hasPadding: true)
        } else if coding == .gzip, next == 0x1F, !hasPadding {
            state = inflateReset(stream) == Z_OK ? .inside : .failed(.corrupt("zlib refused to start again"))
        } else {
            state = .failed(.trailingBytes)
        }
    }
}
