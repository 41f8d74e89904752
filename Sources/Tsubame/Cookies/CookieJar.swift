// CookieJar: the cookies of one or more clients, to read and to change.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Dispatch
import Synchronization
public import TsubameCore
import TsubamePlatform
public import TsubameWire

/// The cookies of one client, or of several. It stores, sends and removes cookies as RFC 6265bis says. A jar is safe
/// to use from any thread.
///
/// ```swift
/// let jar = CookieJar()
/// try jar.importFile("cookies.txt")                       // of curl, wget, yt-dlp or a browser
/// let client = Client("https://api.example.com") { $0.cookies = .jar(jar) }
/// for cookie in jar.cookies { print(cookie) }             // without their values
/// try jar.delete { $0.domain == "api.example.com" }
/// ```
/// A jar is in memory unless it was created for a file. With a file, a call waits until the change that it made is
/// written, and several processes see each other's changes. Functions that change the jar throw every error of the
/// file. They may wait up to five seconds for another process.
///
/// A call waits no longer than its deadline, and blocks no thread of the concurrency pool. If a change cannot be
/// written, the call still continues. Its events and ``failure`` say why. After a wait that failed, calls use the
/// cookies in memory for a second, so that waits do not add up. The first call after that second, or a change by the
/// program, writes the changes that are still unwritten.
///
/// A cache identifies the jar by an owner, which is kept with the cookies. ``clear()``, ``delete(_:)`` and
/// ``endSession()`` give the jar a new owner. The next account then gets no stored response of the last one.
///
/// A jar keeps at most 180 cookies for a domain and 3,000 in all. It first removes the cookies that were unused for
/// longest, and in a full domain those that are not Secure. A Cookie field has at most 8,190 bytes, and further cookies stay out.
/// No cookie lives longer than 400 days. Secure cookies are
/// sent by https. By http they are sent only to `localhost`, the names below it and loopback addresses.
public final class CookieJar: Sendable {
    private struct State: Sendable {
        var store: CookieStore
        /// Why the last attempt to read the kept cookies, or to write a change, failed.
        var readingFailure: CallError?
        var keepingFailure: CallError?
        var notices: [String] = []
        /// The notices that no call has reported yet.
        var untold: [String] = []
        /// Until this time calls use the cookies in memory.
        var pauseEnd: MonotonicTime = 0
        var unkept = UnkeptCookies()
        var isPaused: Bool { pauseEnd > MonotonicClock.now }

        /// Pauses access to the storage after a failure that took long.
        /// - Parameter start: when the failed access began.
        mutating func pause(since start: MonotonicTime) {
            let now = MonotonicClock.now
            if now &- start > CookieJar.longWait { pauseEnd = now &+ CookieJar.pause }
        }

        /// Until a change of the owner is written, the store has the old one.
        var owner: String { unkept.owner ?? store.owner }

        /// Servers cause notices. Each is kept once, and at most ``CookieJar/keptNotices`` are kept.
        mutating func add(_ notices: [String]) {
            for notice in notices where self.notices.count < CookieJar.keptNotices && !self.notices.contains(notice) {
                self.notices.append(notice)
                untold.append(notice)
            }
        }

        mutating func tell() -> [String] {
            guard !untold.isEmpty else { return [] }
            defer { untold = [] }
            return untold
        }
    }

    private static let keptNotices = 100
    /// A failure that took longer than this was a wait for another process, in nanoseconds.
    private static let longWait: MonotonicTime = 100_000_000
    /// How long calls leave the storage alone after such a wait, in nanoseconds. Otherwise their waits would add up.
    private static let pause: MonotonicTime = 1_000_000_000

    private let state: Mutex<State>
    private let storage: (any CookieStorage)?
    /// The queue for calls that use the storage, because they may have to wait for the locks of other processes.
    let queue: DispatchQueue?
    /// The prefix of all owners of this jar. It is the same in each process if the storage keeps all cookies.
    private let place: String
    /// This is separate from the state, whose lock is held during a wait for another process.
    private let publishedOwner: Mutex<String>
    /// The owner by which a cache identifies the jar. It is kept with the cookies. It changes when the program removes
    /// cookies, or when another file replaces the jar's.
    var owner: String { publishedOwner.withLock { $0 } }
    /// The part of the owner that is kept with the cookies.
    package var keptOwner: String { state.withLock { $0.owner } }
    /// Whether the jar has a storage besides memory.
    var isKept: Bool { storage != nil }

    /// Creates a jar in memory.
    /// - Parameter publicSuffixes: the domains for which no cookie may be set. `PublicSuffixList.file` reads a
    ///   newer list than the built-in one.
    public convenience init(publicSuffixes: PublicSuffixList = .builtIn) {
        self.init(store: CookieStore(suffixes: publicSuffixes), storage: nil)
    }

    /// Creates a jar in memory for cookies that another object keeps in a file.
    /// - Parameters:
    ///   - file: the path by which a cache identifies the jar in each process, or nil for a jar of this process alone.
    ///   - owner: the owner that is kept in the file, or nil for a new one.
    package convenience init(cookiesOf file: String?, owner: String?) {
        var store = CookieStore()
        store.takeOwner(owner)
        self.init(store: store, storage: nil, file: file)
    }

    package init(store: CookieStore, storage: (any CookieStorage)?, file: String? = nil) {
        // Cookies of one process alone, such as session cookies besides a database, may belong to another account each
        // time.
        let path: String? = if let storage { storage.keepsAll ? storage.name : nil } else { file }
        let place = path.map { CacheIdentity.digest(FilePath.absolute($0)) } ?? UniqueNumber().text
        self.place = place
        publishedOwner = Mutex("\(place) \(store.owner)")
        state = Mutex(State(store: store))
        self.storage = storage
        queue = storage.map { _ in DispatchQueue(label: "tsubame.cookies") }
    }

    /// Why the last change could not be written, or the kept cookies could not be read. nil if both succeeded.
    public var failure: CallError? { state.withLock { $0.keepingFailure ?? $0.readingFailure } }

    /// Notices about the file of the jar, each once and at most 100. For example, a damaged database was set aside,
    /// and where, or the file cannot hold a cookie.
    public var notices: [String] {
        state.withLock { state in
            refresh(&state, Self.now)
            return state.notices
        }
    }

    // MARK: Looking

    /// All cookies, with their values, in order of creation.
    public var cookies: [Cookie] {
        let now = Self.now
        return refreshed(now) { store in store.cookies.filter { ($0.expires ?? .max) > now } }
    }

    /// The cookies that a request for this URL would carry, in the order in which they are sent.
    /// - Throws: ``CallError/Kind/invalidRequest`` if the URL is invalid.
    public func cookies(for url: String) throws(CallError) -> [Cookie] {
        let uri = try TargetURI(parsing: url)
        let now = Self.now
        return refreshed(now) { $0.cookies(for: uri.host, path: uri.path, isSecure: uri.isSecure, now: now) }
    }

    // MARK: Changing

    /// Adds a cookie, which replaces one with the same name, domain and path. An expired cookie only removes that one.
    /// - Throws: ``CallError/Kind/misuse`` if no server could set the cookie, ``CallError/Kind/file`` if the change
    ///   cannot be written.
    public func set(_ cookie: Cookie) throws(CallError) {
        let refusal = try change { (store, now) -> CookieRefusal? in
            do throws(CookieRefusal) {
                try store.insert(cookie, now: now)
                return nil
            } catch {
                return error
            }
        }
        if let refusal { throw Self.refused(cookie.name, refusal) }
    }

    /// Sets a cookie as a response from this URL would by the field `Set-Cookie`, such as `a=b; Path=/; Secure`.
    /// - Throws: ``CallError/Kind/misuse`` if the field is refused, ``CallError/Kind/invalidRequest`` if the URL is
    ///   invalid, ``CallError/Kind/file`` if the change cannot be written.
    public func set(_ field: String, from url: String) throws(CallError) {
        let uri = try TargetURI(parsing: url)
        let refusal = try change { (store, now) in store.take([field], from: uri, now: now).first }
        if let refusal { throw Self.refused(refusal.name, refusal.why) }
    }

    /// Removes the cookie with this name, domain and path.
    /// - Returns: whether there was one.
    /// - Throws: ``CallError/Kind/file`` if the change cannot be written.
    @discardableResult
    public func delete(_ cookie: Cookie) throws(CallError) -> Bool {
        let key = CookieKey(cookie)
        return try delete { CookieKey($0) == key } > 0
    }

    /// Removes the cookies for which `matches` returns true. The closure must not use the jar.
    /// - Returns: how many cookies were removed.
    /// - Throws: ``CallError/Kind/file`` if the change cannot be written.
    @discardableResult
    public func delete(where matches: (Cookie) -> Bool) throws(CallError) -> Int {
        try change { (store, _) in store.removeAll(where: matches) }
    }

    /// Removes all cookies.
    /// - Throws: ``CallError/Kind/file`` if the change cannot be written.
    public func clear() throws(CallError) {
        try change { (store, _) in store.removeAll() }
    }

    /// Removes the session cookies, which have no time at which they expire.
    /// - Throws: ``CallError/Kind/file`` if the change cannot be written.
    public func endSession() throws(CallError) {
        try delete { $0.expires == nil }
    }

    // MARK: For the rest of the module

    /// The Cookie field for a request, and notes about it.
    /// - Returns: the value of the field, the owner of its cookies, and the notes.
    func field(for uri: TargetURI) -> (text: String?, owner: String, notes: [String]) {
        let now = Self.now
        return state.withLock { state in
            if !state.isPaused {
                if let storage, !state.unkept.isEmpty { keep(&state, storage, now) { _ in } }
                if !state.isPaused { refresh(&state, now) }
            }
            let field = state.store.field(for: uri.host, path: uri.path, isSecure: uri.isSecure, now: now)
            var notes = state.tell()
            if let count = field?.leftOut, count > 0 {
                notes.append("\(count) cookies are not sent: the Cookie field would be too long with them")
            }
            if let failure = state.readingFailure {
                notes.append("cookies may be out of date: \(failure.reason)")
            }
            return (field?.text, owner, notes)
        }
    }

    /// Takes the Set-Cookie fields of a response.
    /// - Returns: the refused cookies, and other notes.
    func take(_ fields: [String], from uri: TargetURI) -> (refused: [RefusedCookie], notes: [String]) {
        var refused: [RefusedCookie] = []
        var notes: [String] = []
        do throws(CallError) {
            try change(isOfCall: true) { (store, now) in refused = store.take(fields, from: uri, now: now) }
        } catch {
            notes = ["cookies of \(uri.host) are not kept: \(error.reason)"]
        }
        return (refused, storage == nil ? notes : state.withLock { $0.tell() } + notes)
    }

    /// Runs `body` on the store after it has been brought up to date.
    func refreshed<T: Sendable>(_ now: Int64, _ body: (inout CookieStore) -> T) -> T {
        state.withLock { state in
            refresh(&state, now)
            return body(&state.store)
        }
    }

    private func refresh(_ state: inout State, _ now: Int64) {
        guard let storage else { return }
        let owner = state.owner
        let start = MonotonicClock.now
        do throws(CallError) {
            try storage.refresh(&state.store, now: now)
            state.readingFailure = nil
        } catch {
            state.readingFailure = error
            state.pause(since: start)
        }
        // The cookies that were just read may lack these changes.
        if !state.unkept.changes.isEmpty { state.store.apply(state.unkept.changes, now: now) }
        state.add(storage.takeNotices())
        if state.owner != owner { publish(state.owner) }
    }

    private func publish(_ owner: String) {
        let owner = "\(place) \(owner)"
        publishedOwner.withLock { $0 = owner }
    }

    /// Changes the store, and writes the change together with earlier unwritten ones.
    private func keep(
        _ state: inout State, _ storage: any CookieStorage, _ now: Int64, _ body: (inout CookieStore) -> Void
    ) {
        let unkept = state.unkept
        let start = MonotonicClock.now
        var changes: [CookieKey: StoredCookie?] = [:]
        var (keptOwner, newOwner) = (state.store.owner, unkept.owner)
        do throws(CallError) {
            try storage.update(&state.store, now: now) { store in
                keptOwner = store.owner
                changes = store.recording { store in
                    if !unkept.changes.isEmpty { store.apply(unkept.changes, now: now) }
                    if let owner = unkept.owner { store.takeOwner(owner) }
                    let owner = store.owner
                    body(&store)
                    if store.owner != owner { newOwner = store.owner }
                }
            }
            state.unkept = UnkeptCookies()
            state.keepingFailure = nil
        } catch {
            state.unkept.add(changes, owner: newOwner)
            state.store.takeOwner(keptOwner)
            state.keepingFailure = error
            state.pause(since: start)
        }
        state.add(storage.takeNotices())
        publish(state.owner)
    }

    /// Changes the store, and writes the change.
    /// - Parameter isOfCall: whether a call waits for the change. It continues without writing if other calls have
    ///   just waited in vain.
    @discardableResult
    func change<T: Sendable>(
        isOfCall: Bool = false, _ body: (inout CookieStore, Int64) -> T
    ) throws(CallError) -> T {
        let now = Self.now
        let (result, failure): (T?, CallError?) = state.withLock { state in
            var result: T?
            guard let storage else {
                result = body(&state.store, now)
                publish(state.owner)
                return (result, nil)
            }
            if isOfCall, state.isPaused {
                let changes = state.store.recording { result = body(&$0, now) }
                state.unkept.add(changes, owner: state.unkept.owner)
                state.keepingFailure = state.keepingFailure ?? state.readingFailure
                return (result, state.keepingFailure)
            }
            keep(&state, storage, now) { result = body(&$0, now) }
            return (result, state.keepingFailure)
        }
        if let failure { throw failure }
        guard let result else { throw CallError(.file, "the cookies were not changed") }
        return result
    }

    package static var now: Int64 { Int64(Date().timeIntervalSince1970) }

    private static func refused(_ name: String, _ refusal: CookieRefusal) -> CallError {
        CallError(.misuse, "the cookie “\(Redaction.printable(name))” is refused: \(refusal)")
    }
}

/// A cookie that was refused, and the reason.
struct RefusedCookie: Sendable {
    let name: String
    let why: CookieRefusal
}

extension CookieStore {
    /// Takes fields of `Set-Cookie`, and returns those that are refused.
    mutating func take(_ fields: [String], from uri: TargetURI, now: Int64) -> [RefusedCookie] {
        var refused: [RefusedCookie] = []
        for field in fields {
            do throws(CookieRefusal) {
                try store(field, host: uri.host, path: uri.path, isSecure: uri.isSecure, now: now)
            } catch {
                refused.append(RefusedCookie(name: SetCookie.name(of: field), why: error))
            }
        }
        return refused
    }
}

extension CookieJar: CustomStringConvertible, CustomReflectable {
    /// How many cookies there are, and where they are kept.
    public var description: String {
        let count = state.withLock { $0.store.count }
        return "cookie jar with \(count) cookie\(count == 1 ? "" : "s")\(storage.map { " in \($0.name)" } ?? "")"
    }

    public var customMirror: Mirror { Mirror(self, children: ["cookies": cookies], displayStyle: .class) }
}
