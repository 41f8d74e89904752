// Bytes: immutable memory, and the object that keeps it alive.

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A piece of a body: immutable bytes that are passed on without copying.
///
/// `Bytes` points into memory that another object owns, such as a network buffer, an array or a `Data`, and keeps that
/// object alive. Copying a `Bytes` copies 24 bytes. To keep a few bytes of a large buffer for a long time, copy them:
/// `Bytes(Array(bytes))`.
/// ```swift
/// let text = String(decoding: bytes, as: UTF8.self)
/// let data = Data(bytes)
/// ```
// Sendable is unchecked because of the pointer. Nothing writes to the memory after `init`, and `owner` keeps it alive.
public struct Bytes: @unchecked Sendable {
    let owner: AnyObject?
    let base: UnsafeRawPointer?
    /// The number of bytes.
    public let count: Int

    /// No bytes.
    public init() {
        owner = nil
        base = nil
        count = 0
    }

    /// A view of memory that `owner` keeps alive, and that nothing writes to.
    package init(owner: AnyObject?, base: UnsafeRawPointer?, count: Int) {
        self.owner = owner
        self.base = base
        self.count = count
    }

    /// A copy of the given bytes.
    public init(_ bytes: some Collection<UInt8>) {
        let copied: Bytes? = bytes.withContiguousStorageIfAvailable { Bytes(copying: UnsafeRawBufferPointer($0)) }
        self = copied ?? Array(bytes).withUnsafeBytes { Bytes(copying: $0) }
    }

    /// The UTF-8 encoding of `text`.
    public init(_ text: some StringProtocol) {
        self.init(text.utf8)
    }

    /// A copy of the given memory.
    package init(copying source: UnsafeRawBufferPointer) {
        guard let from = source.baseAddress, !source.isEmpty else {
            self.init()
            return
        }
        let storage = OwnedMemory(capacity: source.count)
        storage.pointer.copyMemory(from: from, byteCount: source.count)
        self.init(owner: storage, base: UnsafeRawPointer(storage.pointer), count: source.count)
    }

    /// Fills new memory of at most `capacity` bytes. The closure returns the number of bytes that it wrote.
    package init<E: Error>(
        capacity: Int, filling: (UnsafeMutableRawBufferPointer) throws(E) -> Int
    ) throws(E) {
        let storage = OwnedMemory(capacity: Swift.max(capacity, 1))
        let written = try filling(UnsafeMutableRawBufferPointer(start: storage.pointer, count: Swift.max(capacity, 0)))
        self.init(
            owner: storage, base: UnsafeRawPointer(storage.pointer), count: Swift.min(Swift.max(written, 0), capacity))
    }

    /// A copy of the bytes, in memory of exactly their size.
    package func copied() -> Bytes { withUnsafeBytes { Bytes(copying: $0) } }

    /// The pieces joined. A single piece is returned as it is.
    package init(joining pieces: [Bytes]) {
        if pieces.count <= 1 {
            self = pieces.first ?? Bytes()
            return
        }
        let total = pieces.reduce(0) { $0 + $1.count }
        self.init(capacity: total) { target in
            var at = 0
            for piece in pieces {
                guard let from = piece.base, let to = target.baseAddress else { continue }
                (to + at).copyMemory(from: from, byteCount: piece.count)
                at += piece.count
            }
            return at
        }
    }

    /// The bytes, valid for as long as this value exists.
    public var span: Span<UInt8> {
        @_lifetime(borrow self)
        get {
            let memory = UnsafeBufferPointer(start: base?.assumingMemoryBound(to: UInt8.self), count: count)
            return _overrideLifetime(Span(_unsafeElements: memory), borrowing: self)
        }
    }

    /// Calls `body` with the memory. The pointer is valid only inside the closure.
    @inline(__always)
    public func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try body(UnsafeRawBufferPointer(start: base, count: count))
    }

    /// The bytes of `range`, which counts from the start of these bytes and is cut to their number. The result shares
    /// the memory.
    public func slice(_ range: Range<Int>) -> Bytes {
        let range = range.clamped(to: 0..<count)
        guard let base, !range.isEmpty else { return Bytes() }
        return Bytes(owner: owner, base: base + range.lowerBound, count: range.count)
    }

    /// The same as ``slice(_:)``, to be kept. A part of less than a quarter is a copy, so that it does not keep the rest.
    package func part(_ range: Range<Int>) -> Bytes {
        let slice = slice(range)
        return slice.count < count / 4 ? slice.copied() : slice
    }
}

extension Bytes: RandomAccessCollection {
    /// Always 0, also for a slice: positions count from its own beginning.
    public var startIndex: Int { 0 }
    /// The same as ``count``.
    public var endIndex: Int { count }

    /// The byte at `position`, which must be within bounds. Only debug builds check it.
    public subscript(position: Int) -> UInt8 {
        UnsafeRawBufferPointer(start: base, count: count)[position]
    }

    /// Calls `body` with the memory, and never returns nil itself. The pointer is valid only inside the closure.
    public func withContiguousStorageIfAvailable<R>(_ body: (UnsafeBufferPointer<UInt8>) throws -> R) rethrows -> R? {
        try body(UnsafeBufferPointer(start: base?.assumingMemoryBound(to: UInt8.self), count: count))
    }
}

extension Bytes: Hashable {
    /// Whether both hold the same bytes, in any memory.
    public static func == (left: Bytes, right: Bytes) -> Bool {
        left.count == right.count && left.elementsEqual(right)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        withUnsafeBytes { hasher.combine(bytes: $0) }
    }
}

extension Bytes: CustomStringConvertible {
    /// The number of bytes, and never the bytes themselves, which may be secret.
    public var description: String { "\(count) bytes" }
}

extension Data {
    /// A copy of the bytes. `Data` writes into memory that was lent to it, if it is changed.
    public init(_ bytes: Bytes) { self = bytes.withUnsafeBytes { Data($0) } }
}

/// Memory that is freed together with this object.
// The pointer is written only while `Bytes.init` fills it.
final class OwnedMemory: @unchecked Sendable {
    let pointer: UnsafeMutableRawPointer

    init(capacity: Int) {
        pointer = .allocate(byteCount: capacity, alignment: 1)
    }

    deinit { pointer.deallocate() }
}
