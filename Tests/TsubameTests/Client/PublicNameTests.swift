// PublicNameTests: no public type of the library takes a name that an application's other imports use.

import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct PublicNameTests {
    @Test func `the library's types are used by name beside Foundation and Observation`() async throws {
        let accepted = try await Compiler.check(
            """
            import Foundation
            import Observation
            import Tsubame

            struct Pages: Endpoint {
                typealias Value = EmptyResponse
                let number: Int
                var path: RequestPath { "pages/\\(number)" }
                var body: RequestBody { .text("x") }
            }

            @Observable final class Model {
                var progress = TransferProgress(bytes: 0, total: 1)
                var subscription: EventSubscription?
                let parent: Progress = Progress(totalUnitCount: 1)
            }

            func read(_ body: ResponseBody, _ hook: some MessageHook, _ interceptor: any Interceptor) -> String {
                Client.version
            }
            """)
        #expect(accepted.accepts, "\(accepted)")
    }

    /// SwiftUI and Combine do not exist on Linux. These are the names of theirs that a client library could want.
    private static let taken: Set<String> = [
        "Alert", "Alignment", "Angle", "Animation", "AnyCancellable", "AnyPublisher", "AnySubscriber", "AnyView", "App",
        "AppStorage", "AsyncImage", "Axis", "Binding", "Button", "Cancellable", "Canvas", "Capsule", "Circle", "Color",
        "CommandGroup", "Commands", "ConnectablePublisher", "ContentMode", "ControlGroup", "CurrentValueSubject",
        "DatePicker", "Deferred", "Divider", "Edge", "EditMode", "Ellipse", "Empty", "EmptyView", "Environment",
        "EnvironmentKey", "EnvironmentValues", "EventModifiers", "Fail", "FetchRequest", "FocusState", "Font",
        "ForEach",
        "Form", "Future", "Gauge", "Gesture", "Gradient", "Grid", "Group", "HStack", "Image", "ImmediateScheduler",
        "Just",
        "KeyEquivalent", "Label", "Layout", "Link", "List", "LocalizedStringKey", "Menu", "Namespace", "NavigationLink",
        "NavigationPath", "NavigationStack", "Observable", "ObservableObject", "ObservationRegistrar", "Observation",
        "ObservedObject", "OpenURLAction", "PassthroughSubject", "Path", "Picker", "Predicate", "PreferenceKey",
        "PreviewProvider", "PrimitiveButtonStyle", "Progress", "ProgressView", "Published", "Publisher", "Publishers",
        "Query", "Record", "Rectangle", "RedactionReasons", "RefreshAction", "Scene", "ScenePhase", "SceneStorage",
        "Scheduler", "ScrollView", "SearchScopes", "Section", "Shape", "ShareLink", "Slider", "Spacer", "State",
        "StateObject", "Stepper", "SubmitLabel", "Subject", "Subscriber", "Subscribers", "Subscription",
        "Subscriptions",
        "Tab", "TabView", "Table", "Text", "TextEditor", "TextField", "Timer", "TimelineView", "Toggle", "ToolbarItem",
        "Transaction", "Transferable", "Transition", "UnitPoint", "VStack", "Version", "View", "ViewBuilder",
        "ViewModifier", "Visibility", "Widget", "Window", "WindowGroup", "ZStack", "Body", "Data", "Date",
        "Notification",
        "Operation", "Port", "Process", "Stream", "Thread", "URL", "Host", "Locale", "Bundle", "Unit", "Measurement",
    ]

    @Test func `no public type has a name of Foundation, SwiftUI, Combine or Observation`() throws {
        let root = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        let declaration = /^(?:public|open) (?:final |indirect )?(?:struct|class|enum|protocol|actor|typealias) (\w+)/
            .anchorsMatchLineEndings()
        var names: Set<String> = []
        for module in ["Tsubame", "TsubameCore", "TsubameWire", "TsubameEngine", "TsubameFoundation", "TsubameStore"] {
            let folder = root.appending(path: "Sources/\(module)")
            let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
            for case let file as URL in files where file.pathExtension == "swift" {
                let text = try String(contentsOf: file, encoding: .utf8)
                names.formUnion(text.matches(of: declaration).map { String($0.output.1) })
            }
        }
        #expect(names.count > 80, "the declarations are not found")
        #expect(names.intersection(Self.taken).isEmpty)
    }
}
