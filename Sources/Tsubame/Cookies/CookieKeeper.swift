// CookieKeeper: where the cookies of a jar are kept beside memory, for other processes to see and after this one's end.

package import TsubameCore
package import TsubameWire

/// Called with the jar's store by one thread at a time.
package protocol CookieKeeper: Sendable {
    /// Where, for people to read.
    var name: String { get }

    /// Whether all cookies are kept there; if not, each process has some of its own.
    var keepsAll: Bool { get }

    /// Brings the store up to what is kept, if that has changed; cheap if it has not.
    func refresh(_ store: inout CookieStore, now: Int64) throws(CallError)

    /// Brings the store up to what is kept, changes it, and keeps the change, while no other process does.
    ///
    /// The change is made once whatever happens, so that this process goes on by it even if it cannot be kept.
    func update(_ store: inout CookieStore, now: Int64, _ change: (inout CookieStore) -> Void) throws(CallError)

    /// Notices about the place since this was called last: such as that a damaged file was set aside, or that the place cannot
    /// hold a cookie.
    func takeNotices() -> [String]
}

extension CookieKeeper {
    package var keepsAll: Bool { true }

    package func takeNotices() -> [String] { [] }
}
