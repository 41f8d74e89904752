// ObservableTests: a file of an application that uses this library and the macros of the standard library.

import Testing

@Suite(.timeLimit(.minutes(2))) struct ObservableTests {
    /// The macro expands to `Observation.ObservationRegistrar`. A public type named `Observation` would shadow the
    /// module.
    @Test func `FAULT 19: @Observable compiles in a file that imports Tsubame`() async throws {
        let accepted = try await Compiler.check(
            """
            import Observation
            import Tsubame

            @Observable final class Model {
                var count = 0
                var subscription: EventSubscription?

                func follow(_ client: Client) {
                    subscription = client.observe { print($0) }
                }
            }
            """)
        #expect(accepted.accepts, "\(accepted)")
    }
}
