"""ResNets, VGG-16 and AlexNet as tables of layers, from their definitions.

He et al., *Deep Residual Learning for Image Recognition* (2015), table 1, with the stride in the
3x3 convolution as torchvision has it; Simonyan and Zisserman, *Very Deep Convolutional Networks*
(2014), table 1, D; Krizhevsky, *One weird trick for parallelizing convolutional neural networks*
(2014), as torchvision has it. Images of 224 x 224 pixels, 1000 classes. A convolution of k x k
takes 2 k^2 c_in c_out operations for each pixel of its output.
"""

from topofinder.model.training_model import DataType, TrainingLayer, TrainingModel, TrainingUnit

PIXELS, CLASSES = 224, 1000
BATCH = 64
"""Samples of a host, as in figure 8 of Zhao et al."""
WIDTHS = (64, 128, 256, 512)
RESNETS = {18: (2, 2, 2, 2), 50: (3, 4, 6, 3), 101: (3, 4, 23, 3)}
"""By their number of layers: blocks of each stage, which are bottlenecks but in ResNet-18."""
VGG_WIDTHS = ((64, 2), (128, 2), (256, 3), (512, 3), (512, 3))


def make_resnet(depth: int) -> TrainingModel:
    """ResNet-18, 50 or 101: 11,689,512, 25,557,032 or 44,549,160 parameters.

    >>> [make_resnet(depth).parameters for depth in RESNETS]
    [11689512, 25557032, 44549160]
    """
    side = PIXELS // 2
    layers = [_convolution("conv1", 3, 64, 7, side)]
    side, inputs, wider = side // 2, 64, 1 if depth == 18 else 4
    for stage, (width, blocks) in enumerate(zip(WIDTHS, RESNETS[depth], strict=True), 1):
        for block in range(blocks):
            before, name = side, f"layer{stage}.{block}"
            side = side // 2 if stage > 1 and block == 0 else side
            layers += _block_layers(name, inputs, width, wider, before, side)
            if block == 0 and inputs != wider * width:
                layers.append(_convolution(f"{name}.downsample", inputs, wider * width, 1, side))
            inputs = wider * width
    layers.append(_linear("fc", inputs, CLASSES))
    return _model(f"resnet-{depth}", "He et al. 2015, table 1", layers)


def _block_layers(
    name: str, inputs: int, width: int, wider: int, before: int, side: int
) -> list[TrainingLayer]:
    """A bottleneck, or the two convolutions of a block that is not wider than its middle."""
    if wider == 1:
        return [
            _convolution(f"{name}.conv1", inputs, width, 3, side),
            _convolution(f"{name}.conv2", width, width, 3, side),
        ]
    return [
        _convolution(f"{name}.conv1", inputs, width, 1, before),
        _convolution(f"{name}.conv2", width, width, 3, side),
        _convolution(f"{name}.conv3", width, wider * width, 1, side),
    ]


def make_alexnet() -> TrainingModel:
    """AlexNet: 61,100,840 parameters.

    >>> make_alexnet().parameters
    61100840
    """
    shapes = ((3, 64, 11, 55), (64, 192, 5, 27), (192, 384, 3, 13), (384, 256, 3, 13))
    layers = [
        _convolution(f"conv{place}", *shape, is_normed=False)
        for place, shape in enumerate((*shapes, (256, 256, 3, 13)), 1)
    ]
    layers += [
        _linear("fc6", 256 * 6 * 6, 4096),
        _linear("fc7", 4096, 4096),
        _linear("fc8", 4096, CLASSES),
    ]
    return _model("alexnet", "Krizhevsky 2014, as torchvision has it", layers)


def make_vgg_16() -> TrainingModel:
    """VGG-16 (configuration D): 138,357,544 parameters.

    >>> make_vgg_16().parameters
    138357544
    """
    side, inputs = PIXELS, 3
    layers = []
    for stage, (width, count) in enumerate(VGG_WIDTHS, 1):
        for place in range(1, count + 1):
            name = f"conv{stage}_{place}"
            layers.append(_convolution(name, inputs, width, 3, side, is_normed=False))
            inputs = width
        side //= 2
    layers += [
        _linear("fc6", inputs * side * side, 4096),
        _linear("fc7", 4096, 4096),
        _linear("fc8", 4096, CLASSES),
    ]
    return _model("vgg-16", "Simonyan and Zisserman 2014, table 1, D", layers)


def _convolution(
    name: str, inputs: int, outputs: int, kernel: int, side: int, *, is_normed: bool = True
) -> TrainingLayer:
    """With the two parameters a channel of a batch norm, or the one of a bias."""
    weights = kernel * kernel * inputs * outputs
    return TrainingLayer(
        name=name,
        parameters=weights + outputs * (2 if is_normed else 1),
        dtype=DataType.FLOAT32,
        flops=2 * weights * side * side,
        activation_bytes=4 * outputs * side * side,
    )


def _linear(name: str, inputs: int, outputs: int) -> TrainingLayer:
    return TrainingLayer(
        name=name,
        parameters=(inputs + 1) * outputs,
        dtype=DataType.FLOAT32,
        flops=2 * inputs * outputs,
        activation_bytes=4 * outputs,
    )


def _model(name: str, source: str, layers: list[TrainingLayer]) -> TrainingModel:
    return TrainingModel(
        name=name, unit=TrainingUnit.SAMPLE, batch=BATCH, source=source, layers=tuple(layers)
    )
