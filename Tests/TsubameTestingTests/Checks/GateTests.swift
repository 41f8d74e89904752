// GateTests: a gate holds until it is opened.

import Testing
import TsubameTesting

@Suite struct GateTests {
    @Test func `holds those who wait until it is opened`() async throws {
        let gate = Gate()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<10 { group.addTask { try await gate.wait() } }
            try await gate.waitForArrivals(10)
            #expect(gate.waiting == 10)
            #expect(!gate.isOpen)
            gate.open()
            #expect(gate.waiting == 0)
            try await group.waitForAll()
        }
        #expect(gate.isOpen)
    }

    @Test func `an open gate lets pass at once and counts`() async throws {
        let gate = Gate()
        gate.open()
        gate.open()
        try await gate.wait()
        try await gate.waitForArrivals(1)
        #expect(gate.waiting == 0)
    }

    @Test func `a cancelled task leaves`() async throws {
        let gate = Gate()
        let task = Task { try await gate.wait() }
        try await gate.waitForArrivals(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(gate.waiting == 0)
    }

    @Test func `a task that was cancelled before does not wait`() async throws {
        let gate = Gate()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await gate.wait()
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        let arrivals = Task { try await gate.waitForArrivals(5) }
        arrivals.cancel()
        await #expect(throws: CancellationError.self) { try await arrivals.value }
    }
}
