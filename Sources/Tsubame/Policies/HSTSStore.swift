// HSTSStore: the hosts that have asked to be reached by https only (RFC 6797), and the hook that does so.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import HTTPTypes
import Synchronization
import TsubameCore
import TsubameWire

/// Whether a client keeps to what hosts ask for by `Strict-Transport-Security` (RFC 6797).
public struct HSTSPolicy: Sendable {
    let store: HSTSStore?

    /// `http:` stays what it is.
    public static let off = HSTSPolicy(store: nil)
    /// A new store in memory, gone with the client and its views.
    public static var memory: HSTSPolicy { HSTSPolicy(store: HSTSStore()) }
    /// A store that can be looked into, kept in a file, or shared by clients.
    public static func store(_ store: HSTSStore) -> HSTSPolicy { HSTSPolicy(store: store) }
}

extension HSTSPolicy: CustomStringConvertible {
    public var description: String { store.map(\.description) ?? "off" }
}

/// The hosts that are reached by https only; safe to use from anywhere.
///
/// ```swift
/// let store = HSTSStore(text: (try? String(contentsOfFile: path, encoding: .utf8)) ?? "")
/// let client = Client { $0.hsts = .store(store) }
/// …
/// try store.text.write(toFile: path, atomically: true, encoding: .utf8)
/// ```
/// A host asks for it in a response over a connection whose certificate was verified, for itself and, if it says so, for
/// all hosts below it, for a time that it names. Addresses cannot ask. At most 10,000 are kept.
public final class HSTSStore: Sendable {
    private let entries: Mutex<HSTSEntries>
    /// The field as each host sent it last, and when: most send the same with every response.
    private let texts = Mutex<[String: (text: String, time: Int64)]>([:])
    /// Most clients never meet such a host: what they pay is this.
    private let isInUse: Atomic<Bool>
    var isUsed: Bool { isInUse.load(ordering: .relaxed) }

    /// An empty one.
    public convenience init() { self.init(HSTSEntries()) }

    /// What ``text``, or curl's `--hsts` file, holds: a line for each host, `host "YYYYMMDD HH:MM:SS"`, with a dot in
    /// front if hosts below it are included. Lines that are none are passed over.
    public convenience init(text: String) { self.init(HSTSFile.read(text)) }

    private init(_ entries: HSTSEntries) {
        isInUse = Atomic(!entries.isEmpty)
        self.entries = Mutex(entries)
    }

    /// The hosts, sorted.
    public var hosts: [String] { entries.withLock { $0.entries.keys.sorted() } }

    /// What is known, as text for a file: see ``init(text:)``.
    public var text: String { entries.withLock { HSTSFile.write($0) } }

    /// Whether this host is reached by https only.
    public func contains(_ host: String) -> Bool {
        isUsed && entries.withLock { $0.contains(host.lowercased(), now: Self.now) }
    }

    /// Forgets every host.
    public func clear() {
        entries.withLock { $0.removeAll() }
        texts.withLock { $0 = [:] }
    }

    /// - Returns: whether anything changed but the time.
    func take(_ field: StrictTransport, as text: String, from host: String) -> Bool {
        isInUse.store(true, ordering: .relaxed)
        texts.withLock { texts in
            if texts.count >= HSTSEntries.maximum { texts = [:] }
            // What ends soon is to be prolonged each time.
            texts[host] = field.maxAge > 86_400 ? (text, Self.now) : nil
        }
        return entries.withLock { $0.take(field, from: host, now: Self.now) }
    }

    /// Whether a host has said just this within the last hour.
    func knows(_ text: String, of host: String) -> Bool {
        guard isUsed else { return false }
        return texts.withLock { texts in
            guard let last = texts[host] else { return false }
            return last.text == text && last.time &+ 3_600 > Self.now && last.time <= Self.now
        }
    }

    private static var now: Int64 { Int64(Date().timeIntervalSince1970) }
}

extension HSTSStore: CustomStringConvertible {
    /// How many hosts there are.
    public var description: String { "\(entries.withLock { $0.entries.count }) hosts by https only" }
}
