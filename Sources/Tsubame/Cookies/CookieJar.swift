// CookieJar: the cookies of a client, to look into and to change.

import Dispatch

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Synchronization
public import TsubameCore
public import TsubameWire

/// The cookies of one client, or of several: what RFC 6265bis says is kept, sent and thrown away; safe to use from anywhere.
///
/// ```swift
/// let jar = CookieJar()
/// try jar.importFile("cookies.txt")                       // of curl, wget, yt-dlp or a browser
/// let client = Client("https://api.example.com") { $0.cookies = .jar(jar) }
/// for cookie in jar.cookies { print(cookie) }             // without their values
/// try jar.delete { $0.domain == "api.example.com" }
/// ```
/// It is in memory unless it was made for a file. Then every change is kept before the call goes on that made it, several
/// processes see each other's, and whatever can go wrong there is thrown by the functions that change something. They may
/// wait for another process, up to five seconds; a call waits no longer than its deadline, and holds up no thread. If a
/// change cannot be kept, it goes on; its events say why, and so does ``failure``. After such a wait, calls use what is in
/// memory for a second, so that their waits do not add up. The first call after that second, or a change by the program,
/// keeps the changes that could not be kept before.
///
/// A cache knows the jar by an owner, which is kept with the cookies. ``clear()``, ``delete(_:)`` and ``endSession()`` give
/// the jar a new owner, so that the next account gets no stored response of the last one.
///
/// At most 180 cookies are kept for a domain and 3,000 in all; what has not been sent for longest goes first, and in a full
/// domain what is not Secure. No cookie lives longer than 400 days. Secure cookies travel by https, and by http only to
/// `localhost`, the names below it and loopback addresses.
public final class CookieJar: Sendable {
    private struct State: Sendable {
        var store: CookieStore
        /// Why what is kept could not be read, and a change not be kept, the last time that this was tried.
        var readingFailure: CallError?
        var keepingFailure: CallError?
        var notices: [String] = []
        /// Those of which no call has told yet.
        var untold: [String] = []
        /// Until then calls go on by what is in memory.
        var pauseEnd: MonotonicTime = 0
        /// Changes that are in memory only, because the place was locked or failed; nil for what was taken out.
        var unkept: [CookieKey: StoredCookie?] = [:]
        /// The owner that is to be kept with them; nil for the one that is kept.
        var unkeptOwner: String?
        var isPaused: Bool { pauseEnd > MonotonicClock.now }

        /// After a failure.
        /// - Parameter start: when what has failed was begun.
        mutating func pause(since start: MonotonicTime) {
            let now = MonotonicClock.now
            if now &- start > CookieJar.longWait { pauseEnd = now &+ CookieJar.pause }
        }

        /// Remembers changes that could not be kept.
        mutating func remember(_ changes: [CookieKey: StoredCookie?]) {
            unkept.merge(changes) { (_, new) in new }
            // Servers cause changes. Those that are left are of cookies that are in the store.
            if unkept.count > 2 * CookieStore.maximum { unkept = unkept.filter { $0.value != nil } }
        }

        /// The store has the one that is kept until a change of it is kept.
        var owner: String { unkeptOwner ?? store.owner }

        /// Servers cause notices: each is kept once, and not more than ``CookieJar/keptNotices``.
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
    /// A failure that took longer was a wait for another process, in nanoseconds.
    private static let longWait: MonotonicTime = 100_000_000
    /// How long calls leave the place alone after that, in nanoseconds: their waits would add up.
    private static let pause: MonotonicTime = 1_000_000_000

    private let state: Mutex<State>
    private let keeper: (any CookieKeeper)?
    /// Where calls have what is kept looked up and changed: other processes' locks may have to be waited for.
    let queue: DispatchQueue?
    /// What all owners of this jar begin with: the same in each process for a place that keeps all cookies.
    private let place: String
    /// Beside the state, whose lock is held while another process is waited for.
    private let publishedOwner: Mutex<String>
    /// Whose jar it is, for a cache. It is kept with the cookies, and is another one once the program has removed cookies
    /// or another file has taken the place.
    var owner: String { publishedOwner.withLock { $0 } }
    /// The part of it that is kept with the cookies.
    package var keptOwner: String { state.withLock { $0.owner } }
    /// Whether more than memory is needed for a look.
    var isKept: Bool { keeper != nil }

    /// A jar in memory.
    /// - Parameter publicSuffixes: which domains no cookie may be set for; ``PublicSuffixList/file(_:)`` reads a newer list
    ///   than the built-in one.
    public convenience init(publicSuffixes: PublicSuffixList = .builtIn) {
        self.init(store: CookieStore(suffixes: publicSuffixes), keeper: nil)
    }

    /// A jar in memory for cookies that somebody else keeps in a file.
    /// - Parameters:
    ///   - file: by which a cache knows the jar in each process; nil for a jar of this process alone.
    ///   - owner: the one that is kept in the file; nil for a new one.
    package convenience init(cookiesOf file: String?, owner: String?) {
        var store = CookieStore()
        store.takeOwner(owner)
        self.init(store: store, keeper: nil, file: file)
    }

    package init(store: CookieStore, keeper: (any CookieKeeper)?, file: String? = nil) {
        // Cookies of a process alone, such as session cookies beside a database, may be of another account each time.
        let path: String? = if let keeper { keeper.keepsAll ? keeper.name : nil } else { file }
        let place = path.map { CacheIdentity.digest(FilePath.absolute($0)) } ?? UniqueNumber().text
        self.place = place
        publishedOwner = Mutex("\(place) \(store.owner)")
        state = Mutex(State(store: store))
        self.keeper = keeper
        queue = keeper.map { _ in DispatchQueue(label: "tsubame.cookies") }
    }

    /// Why a change could not be kept, or the cookies not be read where they are kept, the last time; nil if all is well.
    public var failure: CallError? { state.withLock { $0.keepingFailure ?? $0.readingFailure } }

    /// Notices about the file of the jar, each once and at most 100: such as that a damaged database was set aside, and
    /// where, or that the file cannot hold a cookie.
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

    /// Those that a request of this URL would carry, in the order in which it would.
    /// - Throws: ``CallError/Kind/invalidRequest`` if that is no URL.
    public func cookies(for url: String) throws(CallError) -> [Cookie] {
        let uri = try TargetURI(parsing: url)
        let now = Self.now
        return refreshed(now) { $0.cookies(for: uri.host, path: uri.path, isSecure: uri.isSecure, now: now) }
    }

    // MARK: Changing

    /// Puts a cookie in, in place of one of the same name, domain and path; one whose time is over removes that.
    /// - Throws: ``CallError/Kind/misuse`` if no server could set it, ``CallError/Kind/file`` if it cannot be kept.
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

    /// Does what a response of this URL would do by a field of `Set-Cookie`, such as `a=b; Path=/; Secure`.
    /// - Throws: ``CallError/Kind/misuse`` if the field would be refused, ``CallError/Kind/invalidRequest`` if that is no
    ///   URL, ``CallError/Kind/file`` if the cookie cannot be kept.
    public func set(_ field: String, from url: String) throws(CallError) {
        let uri = try TargetURI(parsing: url)
        let refusal = try change { (store, now) in store.take([field], from: uri, now: now).first }
        if let refusal { throw Self.refused(refusal.name, refusal.why) }
    }

    /// Removes the cookie of this name, domain and path.
    /// - Returns: whether there was one.
    /// - Throws: ``CallError/Kind/file`` if the change cannot be kept.
    @discardableResult
    public func delete(_ cookie: Cookie) throws(CallError) -> Bool {
        let key = CookieKey(cookie)
        return try delete { CookieKey($0) == key } > 0
    }

    /// Removes the cookies for which `matches` says so; the jar must not be used in it.
    /// - Returns: how many there were.
    /// - Throws: ``CallError/Kind/file`` if the change cannot be kept.
    @discardableResult
    public func delete(where matches: (Cookie) -> Bool) throws(CallError) -> Int {
        try change { (store, _) in store.removeAll(where: matches) }
    }

    /// Forgets every cookie.
    /// - Throws: ``CallError/Kind/file`` if the change cannot be kept.
    public func clear() throws(CallError) {
        try change { (store, _) in store.removeAll() }
    }

    /// Forgets the session cookies: those that no server gave a time.
    /// - Throws: ``CallError/Kind/file`` if the change cannot be kept.
    public func endSession() throws(CallError) {
        try delete { $0.expires == nil }
    }

    // MARK: For the rest of the module

    /// How many changes are in memory only.
    var unkeptCount: Int { state.withLock { $0.unkept.count } }

    /// The Cookie field for a request, and what there is to tell about it.
    /// - Returns: also the owner of the cookies in it.
    func field(for uri: TargetURI) -> (text: String?, owner: String, notes: [String]) {
        let now = Self.now
        return state.withLock { state in
            if !state.isPaused {
                let isUnkept = !state.unkept.isEmpty || state.unkeptOwner != nil
                if let keeper, isUnkept { keep(&state, keeper, now) { _ in } }
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

    /// Takes the fields of a response.
    /// - Returns: those that were refused, and what else there is to tell.
    func take(_ fields: [String], from uri: TargetURI) -> (refused: [RefusedCookie], notes: [String]) {
        var refused: [RefusedCookie] = []
        var notes: [String] = []
        do throws(CallError) {
            try change(isOfCall: true) { (store, now) in refused = store.take(fields, from: uri, now: now) }
        } catch {
            notes = ["cookies of \(uri.host) are not kept: \(error.reason)"]
        }
        return (refused, keeper == nil ? notes : state.withLock { $0.tell() } + notes)
    }

    /// Runs `body` on the store as it is kept.
    func refreshed<T: Sendable>(_ now: Int64, _ body: (inout CookieStore) -> T) -> T {
        state.withLock { state in
            refresh(&state, now)
            return body(&state.store)
        }
    }

    private func refresh(_ state: inout State, _ now: Int64) {
        guard let keeper else { return }
        let owner = state.owner
        let start = MonotonicClock.now
        do throws(CallError) {
            try keeper.refresh(&state.store, now: now)
            state.readingFailure = nil
        } catch {
            state.readingFailure = error
            state.pause(since: start)
        }
        // What was read may be without them.
        if !state.unkept.isEmpty { state.store.apply(state.unkept, now: now) }
        state.add(keeper.takeNotices())
        if state.owner != owner { publish(state.owner) }
    }

    private func publish(_ owner: String) {
        let owner = "\(place) \(owner)"
        publishedOwner.withLock { $0 = owner }
    }

    /// Changes the store, and keeps the change with those that could not be kept before.
    private func keep(
        _ state: inout State, _ keeper: any CookieKeeper, _ now: Int64, _ body: (inout CookieStore) -> Void
    ) {
        let (unkept, unkeptOwner) = (state.unkept, state.unkeptOwner)
        let start = MonotonicClock.now
        var changes: [CookieKey: StoredCookie?] = [:]
        var (keptOwner, newOwner) = (state.store.owner, unkeptOwner)
        do throws(CallError) {
            try keeper.update(&state.store, now: now) { store in
                keptOwner = store.owner
                changes = store.recording { store in
                    if !unkept.isEmpty { store.apply(unkept, now: now) }
                    if let unkeptOwner { store.takeOwner(unkeptOwner) }
                    let owner = store.owner
                    body(&store)
                    if store.owner != owner { newOwner = store.owner }
                }
            }
            (state.unkept, state.unkeptOwner) = ([:], nil)
            state.keepingFailure = nil
        } catch {
            state.remember(changes)
            state.unkeptOwner = newOwner
            state.store.takeOwner(keptOwner)
            state.keepingFailure = error
            state.pause(since: start)
        }
        state.add(keeper.takeNotices())
        publish(state.owner)
    }

    /// Changes the store, and keeps the change.
    /// - Parameter isOfCall: whether a call waits for it, which goes on without if others have waited in vain just now.
    @discardableResult
    func change<T: Sendable>(
        isOfCall: Bool = false, _ body: (inout CookieStore, Int64) -> T
    ) throws(CallError) -> T {
        let now = Self.now
        let (result, failure): (T?, CallError?) = state.withLock { state in
            var result: T?
            guard let keeper else {
                result = body(&state.store, now)
                publish(state.owner)
                return (result, nil)
            }
            if isOfCall, state.isPaused {
                state.remember(state.store.recording { result = body(&$0, now) })
                state.keepingFailure = state.keepingFailure ?? state.readingFailure
                return (result, state.keepingFailure)
            }
            keep(&state, keeper, now) { result = body(&$0, now) }
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

/// A cookie that was not taken, and why.
struct RefusedCookie: Sendable {
    let name: String
    let why: CookieRefusal
}

extension CookieStore {
    /// Takes fields of `Set-Cookie`, and says which it does not.
    fileprivate mutating func take(_ fields: [String], from uri: TargetURI, now: Int64) -> [RefusedCookie] {
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
        return "cookie jar with \(count) cookie\(count == 1 ? "" : "s")\(keeper.map { " in \($0.name)" } ?? "")"
    }

    public var customMirror: Mirror { Mirror(self, children: ["cookies": cookies], displayStyle: .class) }
}
