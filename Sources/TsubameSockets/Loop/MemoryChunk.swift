// MemoryChunk: memory of a loop that its members use in turn.

/// A chunk of memory with an owner count. A loop has one that its reads fill one after another, and one in which its members
/// encode. A receiver that keeps a large part of a read keeps the chunk, and the loop then takes another one for the next read.
// Written to only by its owner, and only while nothing else refers to it.
package final class MemoryChunk: @unchecked Sendable {
    /// In bytes. The system gives the memory page by page, as it is used.
    package static let capacity = 256 << 10

    package let base = UnsafeMutableRawPointer.allocate(byteCount: MemoryChunk.capacity, alignment: 16)

    package init() {}

    deinit { base.deallocate() }
}
