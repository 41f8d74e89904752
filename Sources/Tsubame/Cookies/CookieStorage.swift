// CookieStorage: where a jar keeps its cookies besides memory, for other processes and later runs.

package import TsubameCore
package import TsubameWire

/// One thread at a time calls these methods, with the jar's store.
package protocol CookieStorage: Sendable {
    /// A description of the place, for people to read.
    var name: String { get }

    /// Whether the storage keeps all cookies. If not, each process has some of its own.
    var keepsAll: Bool { get }

    /// Updates the store if the kept cookies have changed. This is cheap if they have not.
    func refresh(_ store: inout CookieStore, now: Int64) throws(CallError)

    /// Updates the store to the kept cookies, changes it, and writes the change, while no other process does so.
    ///
    /// `change` runs exactly once, even if an error is thrown, so that this process can use a change that cannot be
    /// written.
    func update(_ store: inout CookieStore, now: Int64, _ change: (inout CookieStore) -> Void) throws(CallError)

    /// Notices about the storage since the last call. For example, a damaged file was set aside, or the storage cannot
    /// hold a cookie.
    func takeNotices() -> [String]
}

extension CookieStorage {
    package var keepsAll: Bool { true }

    package func takeNotices() -> [String] { [] }
}
