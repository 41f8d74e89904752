// UnconsumedInput: the end of a read that its decoder could not use yet.

/// Keeps the bytes for the next read, and nothing else: the bytes before them are dropped, or the buffer would hold everything
/// that the connection has ever received.
struct UnconsumedInput {
    private var kept: [UInt8] = []
    /// The first kept byte that has not been consumed.
    private var start = 0

    var isEmpty: Bool { kept.isEmpty }
    /// How many bytes wait for more.
    var count: Int { kept.count - start }
    /// How much memory they hold.
    var capacity: Int { kept.capacity }

    /// Keeps the bytes of a read that follow the first `consumed` ones.
    @inline(__always)
    mutating func keep(_ read: UnsafeRawBufferPointer, after consumed: Int) {
        if consumed < read.count { append(read, from: consumed) }
    }

    private mutating func append(_ read: UnsafeRawBufferPointer, from consumed: Int) {
        kept.append(contentsOf: read[consumed...])
    }

    /// Takes out the kept bytes with a read behind them. The consumer gives them back by ``giveBack(_:consumed:)``.
    mutating func join(_ read: UnsafeRawBufferPointer) -> [UInt8] {
        var joined: [UInt8] = []
        swap(&joined, &kept)
        // A head that comes byte by byte is appended in place.
        if start > 0 { joined.removeFirst(start) }
        start = 0
        joined.append(contentsOf: read)
        return joined
    }

    /// Keeps what is left of joined bytes.
    mutating func giveBack(_ joined: consuming [UInt8], consumed: Int) {
        guard consumed < joined.count else { return }
        kept = joined
        start = consumed
    }
}
