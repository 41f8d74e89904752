// HTTP2FieldBlockReader: the field blocks of a peer, put together from their frames and decoded (RFC 9113 section 4.3).

import TsubameCore

/// One block arrives at a time, because no other frame may come between its frames.
struct HTTP2FieldBlockReader: ~Copyable {
    /// A block that CONTINUATION frames complete.
    struct Unfinished {
        let stream: UInt32
        let endsStream: Bool
        fileprivate var frames = 1
        fileprivate var bytes: [UInt8]
    }

    /// A block of more frames costs more work than its bytes are worth.
    private static var mostFrames: Int { 128 }

    private var decoder = HPACKDecoder()
    /// The fields of the last decoded block.
    private(set) var fields: DecodedFields
    private(set) var unfinished: Unfinished?

    init(limits: Limits) { fields = DecodedFields(maxBytes: limits.headBytes, maxFields: limits.headFields) }

    /// Keeps the first part of a block.
    mutating func begin(_ part: UnsafeRawBufferPointer, stream: UInt32, endsStream: Bool) {
        unfinished = Unfinished(stream: stream, endsStream: endsStream, bytes: Array(part))
    }

    /// Adds a part to the unfinished block.
    /// - Parameter most: the maximum length of the block, in bytes. It limits the memory that an endless head can take
    ///   (CVE-2024-27316 and similar attacks).
    mutating func add(_ part: UnsafeRawBufferPointer, most: Int) throws(HTTP2Fault) {
        guard var block = unfinished.take() else { return }
        guard block.frames < Self.mostFrames, block.bytes.count &+ part.count <= most else {
            throw HTTP2Fault(
                .enhanceYourCalm,
                .limit(
                    "a head is longer than \(most) bytes, or in more than \(Self.mostFrames) parts (limits.headBytes)"))
        }
        block.frames &+= 1
        block.bytes.append(contentsOf: part)
        unfinished = block
    }

    /// - Returns: the bytes of the block whose last part was added.
    mutating func end() -> [UInt8] { unfinished.take()?.bytes ?? [] }

    /// Decodes a whole block into ``fields``.
    /// - Parameter isHead: whether the block is no trailer section.
    mutating func decode(_ block: UnsafeRawBufferPointer, isHead: Bool, limits: Limits) throws(HTTP2Fault) {
        fields.removeAll(maxBytes: isHead ? limits.headBytes : limits.trailerBytes, maxFields: limits.headFields)
        do throws(WireError) {
            try decoder.decode(block, into: &fields)
        } catch {
            throw HTTP2Fault(error.kind == .limitExceeded ? .enhanceYourCalm : .compression, error)
        }
    }
}
