import Testing
import TsubamePlatform

@Suite struct FileHoldTests {
    private let path = "/tmp/tsubame-hold-\(UInt64.random(in: 0 ... .max))"

    private func opened() -> Int32 { SystemCall.open(path, O_RDWR | O_CREAT | O_CLOEXEC, mode: 0o600) }

    @Test func secondDescriptorWaitsForTheRelease() {
        let (first, second) = (opened(), opened())
        defer { unlink(path) }
        #expect(FileHold.take(first) == 0)
        #expect(FileHold.take(first) == 0)
        #expect(FileHold.take(second) == EWOULDBLOCK)
        FileHold.release(second)
        #expect(FileHold.take(second) == EWOULDBLOCK)
        FileHold.close(first)
        #expect(FileHold.take(second, waits: true) == 0)
        FileHold.close(second)
    }

    /// The form for systems that end an app with locks.
    @Test func holdsOfThisProcessFollowTheSameRules() {
        let holds = OwnFileHolds()
        let (first, second) = (opened(), opened())
        defer { unlink(path) }
        #expect(holds.take(first))
        #expect(holds.take(first))
        #expect(!holds.take(second))
        holds.release(second)
        #expect(!holds.take(second))
        holds.release(first)
        #expect(holds.take(second))
        // Another file of the same name is another file.
        unlink(path)
        let third = opened()
        #expect(holds.take(third))
        holds.release(third)
        holds.release(second)
        for descriptor in [first, second, third] { SystemCall.close(descriptor) }
    }
}
