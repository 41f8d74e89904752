// NameBook: a resolver whose answers come from the test, and a log of its questions.

import Tsubame

final class NameBook: Sendable {
    private let log: Log<String>
    /// Always the same resolver, so that all its users share its answers.
    let resolver: NameResolver

    /// - Parameter answer: receives the host and the number of earlier questions about any host.
    init(_ answer: @escaping @Sendable (_ host: String, _ index: Int) async throws -> NameResolver.Answer) {
        let log = Log<String>()
        self.log = log
        resolver = .custom { host in
            log.add(host)
            return try await answer(host, log.all.count - 1)
        }
    }

    /// Answers every question with these addresses.
    convenience init(_ addresses: [String], lifetime: Duration? = nil) {
        self.init { _, _ in NameResolver.Answer(addresses, lifetime: lifetime) }
    }

    /// The hosts of the questions, in order.
    var asked: [String] { log.all }
}
