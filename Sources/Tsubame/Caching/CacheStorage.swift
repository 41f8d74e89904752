// CacheStorage: the interface of a place that keeps the responses of a cache.

package import Dispatch
package import TsubameCore
package import TsubameWire

/// A stored response, as a storage identifies it.
package struct StoredResponse: Sendable {
    /// The storage's own number, never used twice.
    package let id: Int64
    package var head: StoredHead {
        didSet { terms = StoredTerms(head) }
    }
    /// The terms of reuse from the head, parsed once.
    package private(set) var terms: StoredTerms
    /// The length of the body as it is stored, with its content codings.
    package let bodyLength: Int64

    package init(id: Int64, head: StoredHead, bodyLength: Int64) {
        self.id = id
        self.head = head
        terms = StoredTerms(head)
        self.bodyLength = bodyLength
    }
}

/// Keeps responses within a limit of bytes, and removes the least recently used ones first.
///
/// A failure of the storage fails no call. ``takeNotices()`` reports it, and a response that cannot be read counts as
/// missing. Any thread may call these methods.
package protocol CacheStorage: AnyObject, Sendable {
    /// A description of the place, for people to read.
    var name: String { get }
    /// The queue on which to call the methods because they block; nil if they do not.
    var queue: DispatchQueue? { get }

    /// The complete responses to a key, the newest first. A storage need not keep more than ``CacheLimits/variants``
    /// of them. The cache makes a key of a method and a URI, or of other parts of a request.
    func responses(to key: String) -> [StoredResponse]
    /// The body from `offset`, for one reader, or nil if the storage no longer has it. The reader can read to the end
    /// even if the response is removed meanwhile. A small body comes as a whole, so that its reader need not wait.
    /// Counts as a use.
    func body(of response: StoredResponse, from offset: Int64) -> ResponseBody?
    /// Begins to store a response. When its writer finishes, the response replaces the one of the same key with the
    /// same selecting fields.
    ///
    /// Returns nil if the response cannot be kept. Either `length` is more than the whole cache may hold, or the
    /// storage fails.
    func store(_ head: StoredHead, under key: String, length: Int64?) -> (any CacheWriter)?
    /// Stores new fields and times of a kept response.
    func update(_ response: StoredResponse)
    /// Removes all responses to a key.
    /// - Parameters:
    ///   - key: nil for all responses.
    ///   - isUrgent: whether to try it even soon after a failure, when the storage leaves its place alone.
    /// - Returns: whether none is left. If not, the cache does not use them, and calls this method again later.
    func remove(_ key: String?, isUrgent: Bool) -> Bool
    /// The number of kept bytes, bodies and heads.
    var byteCount: Int64 { get }
    /// Notices about failures of the storage and their repair since the last call.
    func takeNotices() -> [String]
}

/// Takes the body of a response that is being stored, from one task at a time. A writer that is released before it
/// finishes stores nothing.
package protocol CacheWriter: AnyObject, Sendable {
    /// - Returns: whether to continue. False if the body has become too long or the storage fails.
    func write(_ bytes: Bytes) -> Bool
    /// Ends the body. From now on the response is kept, and outlives this process if the storage does.
    /// - Returns: whether the response is kept.
    func finish() -> Bool
}

/// Limits that all storages share.
package enum CacheLimits {
    /// The most responses to one key. A server that varies them by everything must not make each lookup longer than
    /// the last.
    package static let variants = 32
    /// The most bytes of a small body.
    package static let smallBody = 256 << 10
}
