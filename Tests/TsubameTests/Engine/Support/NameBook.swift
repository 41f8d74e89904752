// NameBook: a resolver that answers as a test says, and what it was asked.

import Tsubame

final class NameBook: Sendable {
    private let log: Log<String>
    /// Always the same one: whoever has it shares its answers.
    let resolver: NameResolver

    /// - Parameter answer: given the host and how many questions came before, of whatever host.
    init(_ answer: @escaping @Sendable (_ host: String, _ index: Int) async throws -> NameResolver.Answer) {
        let log = Log<String>()
        self.log = log
        resolver = .custom { host in
            log.add(host)
            return try await answer(host, log.all.count - 1)
        }
    }

    /// Answers everything with these addresses.
    convenience init(_ addresses: [String], lifetime: Duration? = nil) {
        self.init { _, _ in NameResolver.Answer(addresses, lifetime: lifetime) }
    }

    /// The hosts that it was asked for, in order.
    var asked: [String] { log.all }
}
