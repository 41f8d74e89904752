// CacheKeeper: where the responses of a cache are kept.

package import Dispatch
package import TsubameCore
package import TsubameWire

/// A stored response, as a keeper names it.
package struct StoredResponse: Sendable {
    /// The keeper's own, never used twice.
    package let id: Int64
    package var head: StoredHead {
        didSet { terms = StoredTerms(head) }
    }
    /// What the head says of its own reuse, read once.
    package private(set) var terms: StoredTerms
    /// Of the body as it is stored: with its content codings.
    package let bodyLength: Int64

    package init(id: Int64, head: StoredHead, bodyLength: Int64) {
        self.id = id
        self.head = head
        terms = StoredTerms(head)
        self.bodyLength = bodyLength
    }
}

/// Keeps responses within a limit of bytes, and forgets those first that were used longest ago. What it does is a matter
/// of this cache only: nothing that fails here fails a call; it is told by ``takeNotices()``, and what cannot be read is
/// not there. Called from any thread.
package protocol CacheKeeper: AnyObject, Sendable {
    /// Where, for people to read.
    var name: String { get }
    /// Where the methods are to be called because they block; nil if they do not.
    var queue: DispatchQueue? { get }

    /// The whole responses to a key, the newest first, of which more than ``CacheLimits/variants`` need not be kept. A key
    /// is a method and a URI, or whatever else the cache makes one of.
    func responses(to key: String) -> [StoredResponse]
    /// The body from `offset`, for one reader; it can be read to its end even if the response is forgotten meanwhile. A
    /// small one comes whole, so that its reader need not wait. nil if it is not there any more. Counts as a use.
    func body(of response: StoredResponse, from offset: Int64) -> ReceivedBody?
    /// Begins to keep a response. It is there when its writer has finished, in place of the key's response with the same
    /// selecting fields. nil if it cannot be kept: `length` is more than the whole cache may have, or the place fails.
    func store(_ head: StoredHead, under key: String, length: Int64?) -> (any CacheWriter)?
    /// New fields and times of a response that is kept.
    func update(_ response: StoredResponse)
    /// Forgets all responses to a key.
    func remove(_ key: String)
    /// Forgets all.
    func removeAll()
    /// How many bytes are kept, bodies and heads.
    var byteCount: Int64 { get }
    /// What has happened to the place and was mended, since this was called last.
    func takeNotices() -> [String]
}

/// Takes the body of a response that is being kept, by one writer. One that is dropped has kept nothing.
package protocol CacheWriter: AnyObject, Sendable {
    /// - Returns: whether it goes on; false once it has become too long or the place fails.
    func write(_ bytes: Bytes) -> Bool
    /// The body is whole: from now on the response is kept, and survives this process if the place does.
    /// - Returns: whether that is so.
    func finish() -> Bool
}

/// What keepers of responses have in common.
package enum CacheLimits {
    /// Responses to one key: a server that varies them by everything must not make each look longer than the last.
    package static let variants = 32
    /// The bytes up to which a body is small.
    package static let smallBody = 256 << 10
}
