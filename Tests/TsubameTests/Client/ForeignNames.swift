// ForeignNames: the public type names of the frameworks that an application imports beside Tsubame.

/// SwiftUI and Combine do not exist on Linux, so this list is written by hand. It also has the names of Foundation, of
/// Observation and of the standard library that a client could want.
enum ForeignNames {
    static let all = Set(text.split { $0.isWhitespace }.map(String.init))

    private static let text = """
        AccessibilityActionCategory AccessibilityActionKind AccessibilityActionNamedContent
        AccessibilityActivationPoint AccessibilityAdjustmentDirection AccessibilityAttachmentModifier
        AccessibilityChildBehavior AccessibilityCustomContentKey AccessibilityDirectTouchOptions
        AccessibilityFocusState AccessibilityHeadingLevel AccessibilityLabeledPairRole
        AccessibilityQuickActionOutlineStyle AccessibilityQuickActionPromptStyle AccessibilityQuickActionStyle
        AccessibilityRotorContent AccessibilityRotorContentBuilder AccessibilityRotorEntry AccessibilityScrollStatus
        AccessibilitySystemRotor AccessibilityTechnologies AccessibilityTextContentType AccessibilityTraits
        AccessibilityZoomGestureAction AccessoryBarActionButtonStyle AccessoryBarButtonStyle
        AccessoryCircularCapacityGaugeStyle AccessoryCircularGaugeStyle AccessoryLinearCapacityGaugeStyle
        AccessoryLinearGaugeStyle ActionSheet Adaptable AffineTransform Alert AlertScene Alignment AlignmentID
        AlternatingRowBackgroundBehavior Anchor Angle AngularGradient Animatable AnimatableData AnimatableModifier
        AnimatablePair AnimatableValues Animation AnimationCompletionCriteria AnimationContext AnimationState
        AnimationStateKey AnimationTimelineSchedule AnyCancellable AnyGesture AnyGradient AnyHashable AnyLayout
        AnyLocation AnyNavigationTransition AnyObject AnyPublisher AnyShape AnyShapeStyle AnySubject AnySubscriber
        AnyTabContent AnyTransition AnyView App AppIntentExtension AppStorage ArchivedViewInput Array AspectRatio
        AssistiveAccess AsyncBytes AsyncImage AsyncImagePhase AsyncPublisher AsyncSequence AsyncStream
        AsyncThrowingPublisher AttributeContainer AttributeScope AttributeScopes AttributedString AttributedSubstring
        AuthorizationCenter AutomaticControlGroupStyle AutomaticDisclosureTableRow AutomaticFormStyle
        AutomaticHoverEffect AutomaticLabeledContentStyle AutomaticMenuBarExtraStyle AutomaticNavigationSplitViewStyle
        AutomaticNavigationTransition AutomaticTableStyle AutomaticWindowStyle Axis BackgroundProminence
        BackgroundProminenceKey BackgroundStyle BackgroundTask BadgeProminence BalancedNavigationSplitViewStyle
        BarePresenter Binding BlendMode BlockOperation BlurOptions BlurReplaceTransition Body Bool
        BorderedButtonMenuStyle BorderedButtonStyle BorderedListStyle BorderedProminentButtonStyle BorderedTableStyle
        BorderlessButtonMenuButtonStyle BorderlessButtonMenuStyle BorderlessButtonStyle
        BorderlessPullDownMenuButtonStyle BouncesOptions BoundsPreference Bundle Button ButtonBorderShape
        ButtonMenuStyle ButtonRepeatBehavior ButtonRole ButtonSizing ButtonStyle ButtonStyleConfiguration
        ButtonToggleStyle ByteCountFormatStyle ByteCountFormatter Cache CachedURLResponse Calendar Cancellable Canvas
        Capsule CarouselListStyle CarouselTabViewStyle Character CharacterSet CheckboxToggleStyle Circle
        CircularGaugeStyle CircularProgressViewStyle ClipOptions Clock CocoaError Codable Collection Color ColorMatrix
        ColorPicker ColorRenderingMode ColorScheme ColorSchemeContrast ColumnNavigationViewStyle ColumnsFormStyle
        Combine CombineIdentifier CommandGroup CommandGroupPlacement CommandMenu Commands CommandsBuilder
        CompactDatePickerStyle CompactMenuControlGroupStyle Comparable ComparisonResult CompletionQueue
        ConcentricRectangle ConditionalContent ConicGradient ConnectablePublisher ContainerBackgroundPlacement
        ContainerRelativeShape ContainerValueKey ContainerValues ContentMarginPlacement ContentMode ContentShapeKinds
        ContentSizeCategory ContentTransition ContentUnavailableView Context ContextMenu Continuation
        ControlActiveState ControlGroup ControlGroupStyle ControlGroupStyleConfiguration ControlSize ControlWidget
        CoordinateSpace CoordinateSpaceProtocol CrossFadeNavigationTransition CubicKeyframe CurrentValueSubject
        CustomAnimation CustomCombineIdentifierConvertible CustomHoverEffect CustomNSError CustomPresentationDetent
        CustomizableToolbarContent Data DataProtocol Date DateComponents DateComponentsFormatter DateFormatter
        DateInterval DateIntervalFormatter DatePicker DatePickerComponents DatePickerStyle
        DatePickerStyleConfiguration DebugReplaceableView Decimal Decoder DefaultButtonLabel DefaultButtonStyle
        DefaultDatePickerStyle DefaultDateProgressLabel DefaultDocumentGroupLaunchActions
        DefaultFocusEvaluationPriority DefaultGaugeStyle DefaultGlassEffectShape DefaultGroupBoxStyle
        DefaultHoverEffect DefaultLabelStyle DefaultListStyle DefaultMenuButtonStyle DefaultMenuStyle
        DefaultNavigationViewStyle DefaultPickerStyle DefaultProgressViewStyle DefaultSettingsLinkLabel
        DefaultShareLinkLabel DefaultTabLabel DefaultTabViewStyle DefaultTextFieldStyle DefaultToggleStyle
        DefaultToolbarItem DefaultWindowStyle DefaultWindowVisibilityToggleLabel Deferred DeleteConfiguration Demand
        DeviceConfigurationCandidate DialogSeverity Dictionary DigitalCrownEvent DigitalCrownRotationalSensitivity
        Dimension DirectoryEnumerator DisclosureGroup DisclosureGroupStyle DisclosureGroupStyleConfiguration
        DisclosureTableRow DismissAction DismissBehavior DismissImmersiveSpaceAction DismissSearchAction
        DismissWindowAction DispatchData DisplayProxy DistributedNotificationCenter DistributedObject Divider
        DocumentBaseBox DocumentConfiguration DocumentGroup DocumentGroupLaunchScene DocumentLaunchGeometryProxy
        DocumentLaunchView Double DoubleColumnNavigationViewStyle DoubleTapGesture DragConfiguration
        DragDropPreviewsFormation DragGesture DragSession DrawingOptions DropConfiguration DropDelegate DropInfo
        DropOperation DropProposal DropSession Duration DynamicProperty DynamicTableRowContent DynamicTypeSize
        DynamicViewContent Edge EdgeInsets EditActions EditButton EditMode EditableCollectionContent Ellipse
        EllipticalGradient EllipticalListStyle Empty EmptyAnimatableData EmptyCommands EmptyControlWidget
        EmptyHoverEffect EmptyHoverEffectContent EmptyMatchedTransitionSourceConfiguration EmptyModifier
        EmptyTableRowContent EmptyView EmptyVisualEffect EmptyWidget EnabledTextSelectability Encoder EnergyFormatter
        Entry EnumeratedCommands Environment EnvironmentKey EnvironmentObject EnvironmentValues EnvironmentalModifier
        Equatable EquatableView Error EventModifiers EveryMinuteTimelineSchedule ExclusiveGesture
        ExpandedWindowToolbarStyle ExplicitTimelineSchedule ExportableFileFormat Fail FetchRequest FetchedResults
        FileAttributeKey FileDialogBrowserOptions FileDocument FileDocumentConfiguration FileDocumentReadConfiguration
        FileDocumentWriteConfiguration FileHandle FileManager FileProtectionType FileWrapper FillShapeStyle
        FillShapeView FillStyle FindContext FittedPresentationSizing FixedTextVariant Float FocusInteractions
        FocusState FocusedBinding FocusedObject FocusedValue FocusedValueKey FocusedValues Font ForEach
        ForEachSectionCollection ForEachSubviewCollection ForegroundStyle Form FormPresentationSizing FormStyle
        FormStyleConfiguration FormatStyle Formatter FrameResizeDirection FrameResizePosition FullScreenCover
        FunctionalTransition Future Gauge GaugeStyle GaugeStyleConfiguration GeometryEffect GeometryProxy
        GeometryProxy3D GeometryReader GeometryReader3D Gesture GestureMask GestureState GestureStateGesture Glass
        GlassBackgroundDisplayMode GlassBackgroundEffect GlassButtonStyle GlassEffectContainer GlassEffectTransition
        GlassProminentButtonStyle Gradient GradientOptions GraphicalDatePickerStyle GraphicsContext Grid GridItem
        GridLayout GridRow Group GroupBox GroupBoxStyle GroupBoxStyleConfiguration GroupElementsOfContent
        GroupHoverEffect GroupSectionsOfContent GroupedFormStyle GroupedListStyle GroupedTabViewStyle HSplitView
        HStack HStackLayout HTTPCookie HTTPCookiePropertyKey HTTPCookieStorage HTTPURLResponse HandActivationBehavior
        HandGestureShortcut Hashable HeaderProminence HelpLink HiddenTitleBarWindowStyle HierarchicalShapeStyle
        HierarchicalShapeStyleModifier HighlightHoverEffect HorizontalAlignment HorizontalDirection HorizontalEdge
        Host HoverEffect HoverEffectContent HoverEffectGroup HoverEffectPhaseOverride HoverPhase ISO8601DateFormatter
        IconOnlyLabelStyle Identifiable IdentifiedDocumentConfiguration Image ImageDynamicRange ImagePaint
        ImageRenderer ImmediateScheduler ImmersionChangeContext ImmersionStyle ImmersiveContentBrightness
        ImmersiveEnvironmentBehavior ImmersiveEnvironmentPicker ImmersiveSpace ImmersiveSpaceContent
        ImmersiveSpaceContentBuilder ImmersiveSpaceViewContent ImportFromDevicesCommands IndexPath IndexSet
        IndexViewStyle IndexedIdentifierCollection InflectionRule InlinePickerStyle InputStream InsetGroupedListStyle
        InsetListStyle InsetShape InsetTableStyle InsettableShape InspectorCommands Int InterfaceOrientation
        InterpolatingSpring IntrinsicContentSizePresentation InvocationOperation ItemProviderTableRowModifier Iterator
        JSONDecoder JSONEncoder JSONPreview JSONSerialization Just KeyEquivalent KeyPath KeyPress KeyboardShortcut
        KeyframeAnimator KeyframeTimeline KeyframeTrack KeyframeTrackContent KeyframeTrackContentBuilder Keyframes
        KeyframesBuilder Label LabelStyle LabelStyleConfiguration LabeledContent LabeledContentStyle
        LabeledContentStyleConfiguration LabeledControlGroupContent LabeledToolbarItemGroupContent LabelsHidden
        LargeTitlePresentation Layout LayoutDirection LayoutDirectionBehavior LayoutProperties
        LayoutRotationUnaryLayout LayoutSubview LayoutSubviews LayoutValueKey LazyHGrid LazyHStack LazyVGrid
        LazyVStack LegibilityWeight LengthFormatter LimitedAvailabilityCommandContent LinearCapacityGaugeStyle
        LinearGaugeStyle LinearGradient LinearKeyframe LinearProgressViewStyle Link LinkButtonStyle LinkShapeStyle
        List ListFormatter ListItemTint ListSectionSpacing ListStyle LocalCoordinateSpace Locale LocalizedError
        LocalizedStringKey LocalizedStringResource LocationButton Lock LongPressGesture LookaroundScene MachError
        MachPort MagnificationGesture MagnifyGesture ManipulationGeometryModifier Map MapAnnotation MassFormatter
        MatchedGeometryProperties MatchedTransitionSourceConfiguration Material Measurement MeasurementFormatter Menu
        MenuActionDismissBehavior MenuBarExtra MenuBarExtraStyle MenuButton MenuButtonStyle MenuControlGroupStyle
        MenuOrder MenuPickerStyle MenuStyle MenuStyleConfiguration MeshGradient MessagePort Mirror MixedImmersionStyle
        ModalContext Model ModifiedContent Morphology MoveCommandDirection MoveKeyframe MoveTransition MultiDatePicker
        MutableDataProtocol NSGestureRecognizerRepresentable NSHostingController NSHostingMenu
        NSHostingSceneBridgingOptions NSHostingSceneRepresentation NSHostingSizingOptions NSHostingView
        NSViewControllerRepresentable NSViewControllerRepresentableContext NSViewRepresentable
        NSViewRepresentableContext NamedCoordinateSpace Namespace NavigationBarItem NavigationControlGroupStyle
        NavigationLink NavigationLinkPickerStyle NavigationPath NavigationSplitView NavigationSplitViewColumn
        NavigationSplitViewStyle NavigationSplitViewStyleConfiguration NavigationSplitViewVisibility NavigationStack
        NavigationTransition NavigationView NavigationViewStyle NetService NetServiceBrowser Never NewDocumentAction
        NewDocumentButton Notification NotificationCenter NotificationQueue NumberFormatter Observable
        ObservableObject ObservableObjectPublisher Observation ObservationIgnored ObservationRegistrar
        ObservationTracked ObservationTracking Observations ObservedObject OffsetShape OffsetTransition
        OnInsertTableRowModifier OnScrollVisibilityModifier OpacityTransition OpenDocumentAction
        OpenImmersiveSpaceAction OpenSettingsAction OpenURLAction OpenWindowAction Operation OperationQueue Optional
        OrnamentAttachmentAnchor OutlineGroup OutlineSubgroupChildren OutputStream POSIXError PageIndexViewStyle
        PagePresentationSizing PageTabViewStyle PagingScrollTargetBehavior PaletteControlGroupStyle PalettePickerStyle
        PaletteSelectionEffect ParentAlignment ParseableFormatStyle PassthroughSubject PasteButton Path
        PencilDoubleTapGestureValue PencilHoverPose PencilPreferredAction PencilSqueezeGesturePhase
        PencilSqueezeGestureValue PersonNameComponents PersonNameComponentsFormatter PhaseAnimator PhotosPicker
        PhysicalMetric PhysicalMetricsConverter Picker PickerStyle PinnedScrollableViews Pipe PlaceholderContentView
        PlaceholderTextShapeStyle PlainButtonStyle PlainListStyle PlainTextEditorStyle PlainTextFieldStyle
        PlainWindowStyle PointerStyle PopUpButtonPickerStyle PopoverAttachmentAnchor PopoverButtonStyle
        PopoverPresentation Port PortMessage Predicate PreferenceKey PreferredColorSchemeKey PresentationAdaptation
        PresentationBackgroundInteraction PresentationContentInteraction PresentationDetent PresentationMode
        PresentationSizing PresentationSizingContext PresentationSizingRoot PresentedWindowContent
        PresentedWindowStyle PreviewContext PreviewContextKey PreviewDevice PreviewLayout PreviewModifier
        PreviewModifierContent PreviewPlatform PreviewProvider PrimitiveButtonStyle PrimitiveButtonStyleConfiguration
        Process ProcessInfo Progress ProgressManager ProgressReporter ProgressView ProgressViewStyle
        ProgressViewStyleConfiguration ProgressiveImmersionStyle ProjectionTransform
        ProminentDetailNavigationSplitViewStyle PropertyListDecoder PropertyListEncoder PropertyListSerialization
        ProposedViewSize Published Publisher Publishers PullDownButton PullDownMenuBarExtraStyle
        PullDownMenuButtonStyle PushTransition PushWindowAction Query QuickLookPreview RadialGradient
        RadioGroupPickerStyle Range RealityView Record RecoverableError Rectangle RectangleCornerInsets
        RectangleCornerRadii RedactionReasons ReferenceConvertible ReferenceFileDocument
        ReferenceFileDocumentConfiguration RefreshAction RelativeDateTimeFormatter RemoteDeviceIdentifier RenameAction
        RenameButton ResetFocusAction RestorationBehavior Result RotateGesture RotateGesture3D Rotated RotatedShape
        RotationGesture RoundedBorderTextEditorStyle RoundedBorderTextFieldStyle RoundedCornerStyle RoundedRectangle
        RoundedRectangularShape RoundedRectangularShapeCorners RunLoop SafeAreaRegions ScaleTransition ScaledMetric
        ScaledShape Scanner Scene SceneBuilder SceneLaunchBehavior ScenePadding ScenePhase SceneRestorationBehavior
        SceneStorage Scheduler SchedulerTimeIntervalConvertible ScopedAttributeContainer ScrollAnchorRole
        ScrollBounceBehavior ScrollContentOffsetAdjustmentBehavior ScrollDismissesKeyboardMode ScrollEdgeEffectStyle
        ScrollGeometry ScrollIndicatorVisibility ScrollInputBehavior ScrollInputKind ScrollPhase
        ScrollPhaseChangeContext ScrollPosition ScrollPositionAnchor ScrollTarget ScrollTargetBehavior
        ScrollTargetBehaviorContext ScrollTargetBehaviorProperties ScrollTransitionConfiguration ScrollTransitionPhase
        ScrollView ScrollViewProxy ScrollViewReader SearchFieldPlacement SearchPresentationToolbarBehavior
        SearchScopeActivation SearchScopes SearchSuggestionsPlacement SearchToolbarBehavior SearchUnavailableContent
        Section SectionActions SectionCollection SectionConfiguration SectionCustomization SectionedFetchRequest
        SectionedFetchResults SecureField SecureFieldStyle SegmentedControlStyle SegmentedPickerStyle
        SelectionFeedback SelectionShapeStyle Sendable SensoryFeedback SeparatorShapeStyle Sequence SequenceGesture
        Set Settings SettingsLink SetupContext Shader ShaderFunction ShaderLibrary ShadowOptions ShadowStyle Shape
        ShapeRole ShapeStyle ShapeView ShareLink SharePreview SidebarAdaptableTabViewStyle SidebarCommands
        SidebarListStyle SidebarRowSize SimultaneousGesture Size SizeAndPositionMatching Slider SliderTick
        SliderTickBuilder SliderTickContentForEach SocketPort SortComparator SortDescriptor SortOrder SpaceColumn
        Spacer Span SpatialEventCollection SpatialEventGesture SpatialTapGesture SplitViewVisibility Spring
        SpringKeyframe SpringLoadingBehavior SquareBorderTextFieldStyle StackNavigationViewStyle StandardGlass State
        StateObject Stepper StepperFieldDatePickerStyle StepperStyle Stream String StringTransform
        StrokeBorderShapeView StrokeShapeView StrokeStyle Subject SubmitLabel SubmitTriggers Subscriber Subscribers
        Subscription SubscriptionStoreView SubscriptionView Subscriptions Substring Subview SubviewsCollection
        SubviewsCollectionSlice SurroundingsEffect SwipeActions SwitchToggleStyle SymbolColorRenderingMode
        SymbolEffectTransition SymbolRenderingMode SymbolVariableValueMode SymbolVariants SystemFormatStyle Tab
        TabBarMinimizeBehavior TabBarOnlyTabViewStyle TabBarPlacement TabContent TabContentBuilder
        TabCustomizationBehavior TabPlacement TabRole TabSearchActivation TabSection TabView
        TabViewBottomAccessoryPlacement TabViewCustomization TabViewStyle Table TableColumn TableColumnAlignment
        TableColumnBuilder TableColumnContent TableColumnCustomization TableColumnCustomizationBehavior
        TableColumnForEach TableColumnSortComparator TableForEachContent TableHeaderRowContent
        TableOutlineGroupContent TableRow TableRowBuilder TableRowContent TableRowValue TableStyle
        TableStyleConfiguration TapGesture Task TaskGroup TaskLocal TermOfAddress Text TextAlignment TextAnnotation
        TextAttribute TextCase TextEditingCommands TextEditor TextEditorStyle TextEditorStyleConfiguration TextField
        TextFieldLink TextFieldStyle TextFormattingCommands TextInputAutocapitalization TextInputCompletion
        TextInputDictationActivation TextInputDictationBehavior TextInputFormattingControlPlacement TextProxy
        TextRenderer TextSelectability TextSelection TextSelectionAffinity TextTransformer TextVariantPreference
        Thread ThreeDimensionalBounds TimeDataSource TimeInterval TimeZone TimelineSchedule TimelineScheduleMode
        TimelineView Timer TintShapeStyle TitleAndIconLabelStyle TitleBarWindowStyle TitleDisplayMode
        TitleOnlyLabelStyle Toggle ToggleButtonStyle ToggleStyle ToggleStyleConfiguration Token ToolbarButton
        ToolbarCommands ToolbarContent ToolbarContentBuilder ToolbarCustomizationBehavior ToolbarCustomizationOptions
        ToolbarDefaultItemKind ToolbarItem ToolbarItemGroup ToolbarItemHidden ToolbarItemPlacement ToolbarLabelStyle
        ToolbarPlacement ToolbarRole ToolbarSpacer ToolbarTitleDisplayMode ToolbarTitleMenu TopLevelDecoder
        TopLevelEncoder TouchBar TouchBarItemPresence Transaction TransactionKey TransferRepresentation Transferable
        Transform3DEffect TransformShape Transition TransitionPhase TransitionProperties TruncationMode TupleContent
        TupleTableRowContent TupleView UIApplicationDelegateAdaptor UIGestureRecognizerRepresentable
        UIGestureRecognizerRepresentableCoordinateSpaceConverter UIHostingConfiguration UIHostingController
        UIHostingControllerSizingOptions UIHostingOrnament UIHostingSceneDelegate UIViewControllerRepresentable
        UIViewControllerRepresentableContext UIViewRepresentable UIViewRepresentableContext UInt URL
        URLAuthenticationChallenge URLCache URLComponents URLConvertible URLCredential URLCredentialStorage URLError
        URLProtectionSpace URLProtocol URLQueryItem URLRequest URLResource URLResourceKey URLResourceValues
        URLResponse URLSession URLSessionConfiguration URLSessionDataTask URLSessionDelegate URLSessionDownloadTask
        URLSessionStreamTask URLSessionTask URLSessionTaskMetrics URLSessionUploadTask URLSessionWebSocketTask UUID
        UndoManager UnevenRoundedRectangle UnifiedCompactWindowToolbarStyle UnifiedWindowToolbarStyle Unit
        UnitAcceleration UnitAngle UnitArea UnitConverter UnitCurve UnitDuration UnitLength UnitMass UnitPoint
        UnitPoint3D UnitPressure UnitSpeed UnitTemperature UnitVolume UserDefaults UserInfo UserInterfaceSizeClass
        UtilityWindow VSplitView VStack VStackLayout ValueTransformer VectorArithmetic Version VerticalAlignment
        VerticalDirection VerticalEdge VerticalPageTabViewStyle VideoPlayer View View3D
        ViewAlignedScrollTargetBehavior ViewBuilder ViewDimensions ViewDimensions3D ViewModifier ViewSpacing
        ViewThatFits Viewpoint3D Visibility VisualEffect Void VolumeViewpointPlacement VolumetricWindowStyle
        WKApplicationDelegateAdaptor WKExtensionDelegateAdaptor WKHostingController WKInterfaceObjectRepresentable
        WKNotificationScene WebPage WebView WheelDatePickerStyle WheelPickerStyle Widget WidgetBundle
        WidgetBundleBuilder WidgetConfiguration WidgetFamily WidgetInfo Window WindowBackgroundDragBehavior
        WindowDragGesture WindowGroup WindowIdealSize WindowInteractionBehavior WindowKeyboardType WindowLayoutRoot
        WindowLevel WindowManagerRole WindowMenuBarExtraStyle WindowPlacement WindowPlacementContext WindowProxy
        WindowResizability WindowResizeAnchor WindowScene WindowStyle WindowStyleModifier WindowToggleFullScreenAction
        WindowToolbarFullScreenVisibility WindowToolbarStyle WindowToolbarTitleStyle WindowVisibilityToggle
        WithDivider WorldAlignmentBehavior WorldScaling WorldTrackingLimitation XMLDTD XMLDocument XMLElement XMLNode
        XMLParser XPCConnection ZStack ZStackLayout ZoomNavigationTransition
        """
}
